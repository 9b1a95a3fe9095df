import { Form, Link } from "@remix-run/react";
import type { FormRefusal } from "~/http/form-refusal";
import { TextField } from "~/ui";
import {
  CheckField,
  ChoiceField,
  DeskButton,
  DeskFacts,
  DeskHeading,
  DeskProblems,
  DeskSection,
  DeskSubmit,
  HiddenFields,
} from "./desk-parts";
import type { showPerson } from "./people.server";
import { PEOPLE_PATH, personDataPath, personDeletionPath, personPath } from "./people-paths";

type PersonPageProps = {
  person: Awaited<ReturnType<typeof showPerson>>;
  refusal: FormRefusal | null | undefined;
  /** A link for a new password, which was just made. */
  link: string | null | undefined;
};

/** What is known of a person, and what can be done. */
export function PersonPage({ person, refusal, link }: PersonPageProps) {
  const { key, email, account, newsletter, stripe } = person;
  return (
    <>
      <DeskHeading title={email}>
        <Link to={PEOPLE_PATH}>All people</Link>
      </DeskHeading>
      <DeskProblems refusal={refusal} />
      {link && (
        <div role="status" className="desk-notice">
          <p>
            Pass this link on. It works once, for an hour, and replaces any link mailed before.
            Anyone with it can take over the account: be sure who asked.
          </p>
          <code className="desk-code">{link}</code>
        </div>
      )}
      {account && (
        <>
          <DeskSection title="Account">
            <DeskFacts facts={account} />
            <div className="desk-actions desk-below">
              <DeskButton fields={{ intent: "mail-link" }}>
                Mail a link for a new password
              </DeskButton>
              <DeskButton fields={{ intent: "show-link" }}>Show such a link here</DeskButton>
              <DeskButton fields={{ intent: "sign-out" }}>Log out everywhere</DeskButton>
            </div>
          </DeskSection>
          <DeskSection title="Membership">
            {stripe.length > 0 && (
              <>
                <DeskFacts
                  facts={stripe.map(({ name, id, url }) => [
                    name,
                    <a key={id} href={url} rel="noreferrer">
                      {id}
                    </a>,
                  ])}
                />
                <p className="desk-hint">
                  At Stripe you see the invoices, and refund a payment on the customer’s page.
                </p>
              </>
            )}
            <div className="desk-actions desk-below">
              <Form method="post" className="desk-actions">
                <HiddenFields fields={{ intent: "grant" }} />
                <TextField
                  label="Complimentary until the end of this day, in UTC"
                  type="date"
                  name="until"
                  required
                  defaultValue={refusal?.typed?.until}
                />
                <DeskSubmit>Make complimentary</DeskSubmit>
              </Form>
              <DeskButton fields={{ intent: "end-grant" }}>End what is complimentary</DeskButton>
            </div>
          </DeskSection>
        </>
      )}
      <DeskSection title="Newsletter">
        <DeskFacts facts={newsletter} />
        <NewsletterForms {...person} typed={refusal?.typed} />
      </DeskSection>
      {account && (
        <DeskSection title="Data">
          <ul className="desk-list">
            <li>
              <a href={personDataPath(key)}>Download all data about the account</a> as JSON
            </li>
            <li>
              <Link to={personDeletionPath(key)}>Delete the account…</Link>
            </li>
          </ul>
        </DeskSection>
      )}
    </>
  );
}

type NewsletterFormsProps = PersonPageProps["person"] & { typed: FormRefusal["typed"] };

function NewsletterForms({ isOnList, isSuppressed, mayBeLifted, typed }: NewsletterFormsProps) {
  return (
    <div className="desk-actions desk-below">
      {isOnList ? (
        <DeskButton fields={{ intent: "unsubscribe" }}>Remove from the list</DeskButton>
      ) : (
        <Form method="post" className="desk-actions">
          <HiddenFields fields={{ intent: "subscribe" }} />
          <ConsentField typed={typed?.source} />
          <DeskSubmit variant="secondary">Add to the list</DeskSubmit>
        </Form>
      )}
      {mayBeLifted && <DeskButton fields={{ intent: "lift" }}>Lift the suppression</DeskButton>}
      {!isSuppressed && (
        <Form method="post" className="desk-actions">
          <HiddenFields fields={{ intent: "suppress" }} />
          <ChoiceField
            label="Suppress the address"
            name="reason"
            options={[
              ["listed", "It can’t be reached"],
              ["complaint", "Its owner complained; only the owner can undo this"],
            ]}
          />
          <DeskSubmit variant="secondary">Suppress</DeskSubmit>
        </Form>
      )}
    </div>
  );
}

/** Asks where the consent to get the newsletter comes from. */
export function ConsentField({ typed }: { typed: string | undefined }) {
  return (
    <TextField
      label="How did they agree to get the newsletter?"
      name="source"
      placeholder="Sign-up sheet at the book fair, May 2026"
      maxLength={200}
      required
      defaultValue={typed}
    />
  );
}

type PersonDeletionPageProps = {
  email: string;
  personKey: string;
  /** What is deleted, as names with facts. */
  deleted: [string, ...string[]][];
  isAtStripe: boolean;
  refusal: FormRefusal | null | undefined;
};

/** Says what is deleted with an account, and deletes it once its address is typed. */
export function PersonDeletionPage({
  email,
  personKey,
  deleted,
  isAtStripe,
  refusal,
}: PersonDeletionPageProps) {
  return (
    <>
      <DeskHeading title="Delete an account">
        <Link to={personPath(personKey)}>Back without deleting</Link>
      </DeskHeading>
      <DeskProblems refusal={refusal} />
      <p>
        This deletes the account of <b dir="auto">{email}</b> permanently, and mails the address.
      </p>
      <DeskFacts facts={deleted.map(([what, ...facts]) => [what, facts.join("; ")])} />
      <Form method="post" className="desk-form desk-below">
        <TextField
          label="Type the address of the account to delete it"
          name="email"
          required
          autoComplete="off"
          spellCheck={false}
          autoCapitalize="none"
          defaultValue={refusal?.typed?.email}
        />
        {isAtStripe && (
          <CheckField
            name="anyway"
            label="Delete it even if Stripe can’t be reached. I end the membership there by hand."
          />
        )}
        <DeskSubmit>Delete the account</DeskSubmit>
      </Form>
    </>
  );
}
