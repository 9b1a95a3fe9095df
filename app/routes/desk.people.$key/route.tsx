import { type ActionFunctionArgs, data, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { Link, useActionData, useLoaderData } from "@remix-run/react";
import { isVerifiedFor, requireAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import {
  CheckField,
  ChoiceField,
  DeskButton,
  DeskFacts,
  DeskHeading,
  DeskLine,
  DeskProblems,
  DeskSection,
} from "~/features/desk/desk-parts";
import { findPerson, showPerson } from "~/features/desk/people.server";
import { changePerson, isSensitiveChange } from "~/features/desk/people-changes.server";
import { PEOPLE_PATH, personPath, SUPPRESSIONS } from "~/features/desk/people-paths";
import { verifyPath } from "~/features/my-account/account-paths";
import { doneAt, doneOrRefused, found, textsOf } from "~/http/page-answer.server";
import { readForm } from "~/http/request-body.server";
import { TextField } from "~/ui";

export const meta = deskMeta("Person");

export async function loader(args: LoaderFunctionArgs) {
  const author = await requireAuthor(args);
  const person = found(await findPerson(args.params.key ?? ""));
  if (person.key !== args.params.key) throw redirect(personPath(person.key));
  return { person: showPerson(person), isVerified: isVerifiedFor(author, "sensitive") };
}

export async function action(args: ActionFunctionArgs) {
  const author = await requireAuthor(args);
  const typed = textsOf((await readForm(args.request)).fields);
  if (isSensitiveChange(typed)) await requireAuthor(args, "sensitive");
  const person = found(await findPerson(args.params.key ?? ""));
  return doneOrRefused(async () => {
    const { path, did, url: link } = await changePerson(author, person, typed);
    if (link) return data({ refusal: null, link }, { headers: { "Cache-Control": "no-store" } });
    return doneAt(path, did);
  }, typed);
}

/** What is known of a person, and what can be done. */
export default function Person() {
  const { person, isVerified } = useLoaderData<typeof loader>();
  const { email, account, newsletter, mayBeLifted } = person;
  const answer = useActionData<typeof action>();
  const link = answer && "link" in answer && answer.link;
  const typed = answer?.refusal?.typed ?? {};
  return (
    <>
      <DeskHeading title={email}>
        <Link to={PEOPLE_PATH}>All people</Link>
      </DeskHeading>
      <DeskProblems refusal={answer?.refusal} />
      {link && (
        <div role="status" className="desk-notice">
          Pass this link on. It works once, for an hour, and replaces any link mailed before. Anyone
          with it can take over the account: be sure who asked.
          <code className="desk-code">{link}</code>
        </div>
      )}
      {account && <AccountSections {...person} typed={typed} />}
      <DeskSection title="Newsletter">
        <DeskFacts facts={newsletter} />
        <DeskLine fields={{ intent: "suppress" }} button="Stop the newsletter to it">
          <ChoiceField label="Why" name="reason" options={SUPPRESSIONS} />
        </DeskLine>
        {mayBeLifted && <DeskButton fields={{ intent: "lift" }}>Lift the suppression</DeskButton>}
      </DeskSection>
      {account && <DeletionSection {...person} isVerified={isVerified} typed={typed} />}
    </>
  );
}

type Typed = { typed: Record<string, string> };

function AccountSections({ account, atStripe, typed }: ReturnType<typeof showPerson> & Typed) {
  return (
    <>
      <DeskSection title="Account">
        <DeskFacts facts={account ?? []} />
        <div className="desk-actions">
          <DeskButton fields={{ intent: "reset-link" }}>Make a link for a new password</DeskButton>
          <DeskButton fields={{ intent: "sign-out" }}>Log out everywhere</DeskButton>
        </div>
      </DeskSection>
      <DeskSection title="Membership">
        {atStripe && (
          <p>
            <a href={atStripe} rel="noreferrer">
              Invoices and refunds at Stripe
            </a>
          </p>
        )}
        <DeskLine fields={{ intent: "grant" }} button="Make complimentary">
          <TextField
            label="Complimentary until the end of this day, in UTC; a past day ends it"
            type="date"
            name="until"
            required
            defaultValue={typed.until}
          />
        </DeskLine>
      </DeskSection>
    </>
  );
}

function DeletionSection(props: ReturnType<typeof showPerson> & Typed & { isVerified: boolean }) {
  const { path, atStripe, isVerified, typed } = props;
  return (
    <DeskSection title="Data">
      <p>
        <a href={`${path}/data.json`}>Download all data about the account</a> as JSON
      </p>
      <p className="desk-below">
        Deleting the account deletes its picture, passkeys, sessions, notes, highlights, progress
        and podcast address, takes the address off the newsletter, and mails it. A membership ends
        at Stripe without a refund; Stripe keeps the receipts.
      </p>
      {isVerified ? (
        <DeskLine fields={{ intent: "delete" }} button="Delete the account" className="desk-form">
          <TextField
            label="Type the address of the account to delete it"
            name="typed"
            required
            autoComplete="off"
            defaultValue={typed.typed}
          />
          {atStripe && (
            <CheckField
              name="anyway"
              label="Also if Stripe can’t be reached: I end the membership there by hand"
            />
          )}
        </DeskLine>
      ) : (
        <a href={verifyPath(path)}>Enter your password to delete the account</a>
      )}
    </DeskSection>
  );
}
