import { Link } from "@remix-run/react";
import { verifyPath } from "~/features/my-account/account-paths";
import type { FormRefusal } from "~/http/form-refusal";
import { TextField } from "~/ui";
import {
  CheckField,
  ChoiceField,
  DeskButton,
  DeskFacts,
  DeskHeading,
  DeskLine,
  DeskProblems,
  DeskSection,
} from "./desk-parts";
import type { showPerson } from "./people.server";
import { PEOPLE_PATH, SUPPRESSIONS } from "./people-paths";

type PersonPageProps = {
  person: ReturnType<typeof showPerson>;
  /** Whether the password was entered recently enough to delete the account. */
  isVerified: boolean;
  refusal: FormRefusal | null | undefined;
  /** A link for a new password, which was just made. */
  link: string | null | undefined;
};

/** What is known of a person, and what can be done. */
export function PersonPage({ person, isVerified, refusal, link }: PersonPageProps) {
  const { email, account, newsletter, mayBeLifted } = person;
  const typed = refusal?.typed ?? {};
  return (
    <>
      <DeskHeading title={email}>
        <Link to={PEOPLE_PATH}>All people</Link>
      </DeskHeading>
      <DeskProblems refusal={refusal} />
      {link && (
        <div role="status" className="desk-notice">
          Pass this link on. It works once, for an hour, and replaces any link mailed before. Anyone
          with it can take over the account: be sure who asked.
          <code className="desk-code">{link}</code>
        </div>
      )}
      {account && <AccountSections {...person} account={account} typed={typed} />}
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

type SectionProps = PersonPageProps["person"] & { typed: Record<string, string> };

function AccountSections({ account, atStripe, typed }: SectionProps) {
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

function DeletionSection(props: SectionProps & Pick<PersonPageProps, "isVerified">) {
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
