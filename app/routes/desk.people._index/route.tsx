import type { LoaderFunctionArgs } from "@remix-run/node";
import { Form, Link, useLoaderData } from "@remix-run/react";
import { requireAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import {
  ChoiceField,
  DeskHeading,
  DeskSection,
  DeskSubmit,
  DeskTable,
  Pager,
} from "~/features/desk/desk-parts";
import { listPeople } from "~/features/desk/people.server";
import { IMPORT_PATH, PEOPLE_PATH, personPath } from "~/features/desk/people-paths";
import { TextField } from "~/ui";

export const meta = deskMeta("People");

export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  const { searchParams } = new URL(args.request.url);
  const asked = (name: string) => searchParams.get(name) ?? "";
  return listPeople({ match: asked("match"), group: asked("group"), after: asked("after") });
}

/** Everybody with an account or on the newsletter's list, by address. */
export default function People() {
  const { match, group, groups, people, isFirst, hasNext } = useLoaderData<typeof loader>();
  const to = (after: string) =>
    `${PEOPLE_PATH}?${new URLSearchParams({ match, group, ...(after && { after }) })}`;
  return (
    <>
      <DeskHeading title="People">
        <Link to={IMPORT_PATH}>Import subscribers</Link>
      </DeskHeading>
      {/* the fields keep what was typed, so another search begins with new ones */}
      <Form method="get" role="search" className="desk-search" key={`${group} ${match}`}>
        <TextField
          label="Address, or a part of it"
          type="search"
          name="match"
          defaultValue={match}
          maxLength={254}
        />
        <ChoiceField label="Show" name="group" defaultValue={group} options={groups} />
        <DeskSubmit variant="secondary">Find</DeskSubmit>
      </Form>
      <DeskTable
        caption="People by address"
        columns={["Address", "Account since", "Membership", "Newsletter"]}
        empty="Nobody is found. Search for a shorter part of the address, or show all."
        rows={people.map(({ key, accountSince, premiumUntil, subscribedSince, ...person }) => ({
          key,
          cells: [
            <Link key="person" to={personPath(key)} dir="auto">
              {person.email}
            </Link>,
            accountSince && `${accountSince}${person.isEmailConfirmed ? "" : ", not confirmed"}`,
            premiumUntil &&
              `${person.isComplimentary ? "complimentary" : "paid"} until ${premiumUntil}`,
            [
              subscribedSince && `since ${subscribedSince}`,
              subscribedSince && !person.isSubscriptionConfirmed && "not confirmed",
              person.suppression && `suppressed: ${person.suppression}`,
            ]
              .filter(Boolean)
              .join(", "),
          ],
        }))}
      />
      <Pager
        links={{
          "First page": isFirst ? null : to(""),
          "Next page": hasNext ? to(people.at(-1)?.key ?? "") : null,
        }}
      />
      <DeskSection title="Downloads">
        <ul className="desk-list">
          <li>
            <a href={`${PEOPLE_PATH}/subscribers.csv`}>Subscribers as CSV</a>: address, status, when
            it joined and was confirmed, source and date of consent
          </li>
          <li>
            <a href={`${PEOPLE_PATH}/members.csv`}>Accounts as CSV</a>: address, when it was made
            and confirmed, until when it is premium
          </li>
        </ul>
      </DeskSection>
    </>
  );
}
