import { readEmail } from "~/environment/email-address.server";
import {
  createResetLink,
  LINK_LIMITED,
  requestPasswordReset,
} from "~/features/accounts/password-reset-request.server";
import { endOfDay, grantMembership } from "~/features/billing/grant-membership.server";
import { deleteAccount, describeLeftCustomer } from "~/features/my-account/delete-account.server";
import { endOtherSessions } from "~/features/my-account/end-sessions.server";
import { addSubscriber, describeListing } from "~/features/newsletter/add-subscriber.server";
import { consentSourceSchema } from "~/features/newsletter/consent-source";
import { OperatorError } from "~db/operator-error";
import type { MemberOverview } from "~db/queries/members";
import { liftSuppressions, suppressAddresses } from "~db/queries/suppressed-addresses";
import type { Author } from "./author.server";
import { recordChange } from "./desk-log.server";
import { findPersonByEmail, type Person } from "./people.server";

type Fields = Record<string, string>;

/** A change that was made, as the toast and the log say it, perhaps with a link to show. */
type Change = { did: string; note?: string; url?: string };

const refuse = (why: string): never => {
  throw new OperatorError(why);
};
const fail = () => refuse("That did not work; the program’s log says why. Please try again.");

/** Whether the password is asked for again: the change cannot be undone, or gives access to the account. */
export const isSensitiveChange = ({ intent = "", reason }: Fields) =>
  /^(mail-link|show-link|unsubscribe|delete)$/.test(intent) || reason === "complaint";

/**
 * Makes the change to a person that a form's fields name by `intent`, as the commands do, and records it. `key` is the person's
 * afterward; null if nothing is left of the person. Throws an OperatorError that says why nothing was changed.
 */
export async function changePerson(
  author: Author,
  { email, member }: Person,
  fields: Fields,
): Promise<Change & { key: string | null }> {
  const change =
    (await changeAddress(email, fields)) ??
    (member && (await changeAccount(member, fields, author))) ??
    refuse("This form is no longer on the page. Reload the page.");
  const after = await findPersonByEmail(email);
  const what = [change.did, change.note].filter(Boolean).join(". ");
  await recordChange(author, what, { about: after?.member?.id });
  return { ...change, key: after?.key ?? null };
}

/** A source of consent as it is stored. Throws an OperatorError for a text that is none. */
export function requireSource(typed = ""): string {
  const { data, error } = consentSourceSchema.safeParse(typed);
  return (
    data ?? refuse(`Say in one line where the consent comes from: ${error?.issues[0]?.message}.`)
  );
}

async function changeAddress(email: string, { intent, ...fields }: Fields): Promise<Change | null> {
  switch (intent) {
    case "subscribe": {
      const outcome = await addSubscriber(email, requireSource(fields.source));
      const note = `The address ${describeListing(outcome)}`;
      return outcome.kind === "suppressed"
        ? refuse(note)
        : { did: "Added an address to the newsletter", note };
    }
    case "unsubscribe":
      await suppressAddresses([email], "unsubscribed");
      return { did: "Removed an address from the newsletter" };
    case "suppress": {
      const reason = fields.reason === "complaint" ? "complaint" : "listed";
      await suppressAddresses([email], reason);
      return { did: `Suppressed an address as ${reason}` };
    }
    case "lift":
      if ((await liftSuppressions([email])) > 0) return { did: "Lifted a suppression" };
      return refuse("Only its owner can lift this, by subscribing on the site again.");
    default:
      return null;
  }
}

async function changeAccount(
  member: MemberOverview,
  fields: Fields,
  author: Author,
): Promise<Change | null> {
  const { id, email } = member;
  const { intent, until = "" } = fields;
  if (/^(sign-out|delete)$/.test(intent ?? "") && id === author.userId) {
    return refuse("This is your own account. Do that on your account page.");
  }
  switch (intent) {
    case "mail-link": {
      const { kind } = await requestPasswordReset(email, null);
      return kind === "accepted" ? { did: "Mailed a link for a new password" } : fail();
    }
    case "show-link": {
      const link = await createResetLink(email, "operator");
      if (link.kind !== "created") return refuse(LINK_LIMITED);
      return { did: "Made a link for a new password", url: link.url };
    }
    case "grant": {
      const end = endOfDay(until);
      if (end && end > new Date()) {
        return grant(id, end, `Made a membership complimentary until ${until}`);
      }
      return refuse("Choose a day that is still to come, such as 2027-06-30.");
    }
    case "end-grant":
      return grant(id, new Date(), "Ended a complimentary membership");
    case "sign-out": {
      const { kind } = await endOtherSessions(id, null);
      return kind === "ended" ? { did: "Logged an account out everywhere" } : fail();
    }
    case "delete":
      return deleteMember(member, fields);
    default:
      return null;
  }
}

async function grant(userId: string, until: Date, did: string): Promise<Change> {
  if (await grantMembership(userId, until)) return { did };
  return { did, note: "Stripe didn’t say how long is paid. The site asks again automatically." };
}

async function deleteMember(
  { id, email, profile }: MemberOverview,
  { typed, anyway }: Fields,
): Promise<Change> {
  if (readEmail(typed) !== email) {
    return refuse("That is another address. Type the address of this account to delete it.");
  }
  const outcome = await deleteAccount(id, { anyway: anyway === "on" });
  if (outcome.kind === "stripe-failed") {
    return refuse(`${outcome.message} To delete the account anyway, tick the box.`);
  }
  if (outcome.kind === "failed") return fail();
  const note = outcome.left && describeLeftCustomer(outcome.left, profile);
  return { did: "Deleted an account", note };
}
