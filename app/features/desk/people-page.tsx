import { Form, Link } from "@remix-run/react";
import { TextField } from "~/ui";
import { ChoiceField, DeskHeading, DeskSection, DeskSubmit, DeskTable } from "./desk-parts";
import type { listPeople } from "./people.server";
import { PEOPLE_GROUPS } from "./people-groups";
import {
  IMPORT_PATH,
  MEMBERS_CSV_PATH,
  PEOPLE_PATH,
  personPath,
  SUBSCRIBERS_CSV_PATH,
} from "./people-paths";

type PeoplePageProps = Awaited<ReturnType<typeof listPeople>>;
type Row = PeoplePageProps["people"][number];

/** Everybody with an account or on the newsletter's list, by address. */
export function PeoplePage({ match, group, people, hasPrevious, hasNext }: PeoplePageProps) {
  const searched = { ...(match && { q: match }), ...(group !== "all" && { group }) };
  const to = (place: Record<string, string | undefined>) =>
    `${PEOPLE_PATH}?${new URLSearchParams({ ...searched, ...place } as Record<string, string>)}`;
  return (
    <>
      <DeskHeading title="People">
        <Link to={IMPORT_PATH}>Import or add subscribers</Link>
      </DeskHeading>
      <Form method="get" role="search" className="desk-search">
        <TextField
          label="Address, or a part of it"
          type="search"
          name="q"
          defaultValue={match}
          maxLength={254}
          spellCheck={false}
          autoCapitalize="none"
        />
        <ChoiceField label="Show" name="group" defaultValue={group} options={PEOPLE_GROUPS} />
        <DeskSubmit variant="secondary">Find</DeskSubmit>
      </Form>
      <DeskTable
        caption="People by address"
        columns={["Address", "Account since", "Membership", "Newsletter"]}
        empty="Nobody is found. Search for a shorter part of the address, or show all."
        rows={people.map((person) => ({
          key: person.key,
          cells: [
            <Link key="person" to={personPath(person.key)} dir="auto">
              {person.email}
            </Link>,
            describeAccount(person),
            person.premiumUntil &&
              `${person.isComplimentary ? "complimentary" : "premium"} until ${person.premiumUntil}`,
            describeSubscription(person),
          ],
        }))}
      />
      {(hasPrevious || hasNext) && (
        <nav aria-label="Pages of the list" className="desk-pager">
          {hasPrevious && <a href={to({})}>First page</a>}
          {hasPrevious && <a href={to({ before: people[0]?.key })}>Previous</a>}
          {hasNext && <a href={to({ after: people.at(-1)?.key })}>Next</a>}
        </nav>
      )}
      <DeskSection title="Downloads">
        <p className="desk-hint">
          CSV files for spreadsheet programs. You are asked for your password first, unless you
          entered it in the last ten minutes.
        </p>
        <ul className="desk-list">
          <li>
            <a href={SUBSCRIBERS_CSV_PATH}>Subscribers</a>: address, status, when it joined and was
            confirmed, source and date of consent
          </li>
          <li>
            <a href={MEMBERS_CSV_PATH}>Accounts</a>: address, when it was made and confirmed, until
            when it is premium
          </li>
        </ul>
      </DeskSection>
    </>
  );
}

function describeAccount({ accountSince, isEmailConfirmed }: Row): string | null {
  if (!accountSince || isEmailConfirmed) return accountSince;
  return `${accountSince}, not confirmed`;
}

function describeSubscription(person: Row): string {
  const { subscribedSince: since, isSubscriptionConfirmed, suppression } = person;
  const state = since && (isSubscriptionConfirmed ? `since ${since}` : `${since}, not confirmed`);
  return [state, suppression && `suppressed: ${suppression}`].filter(Boolean).join("; ");
}
