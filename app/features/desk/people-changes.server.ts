import { readEmail } from "~/environment/email-address.server";
import { createResetLink, LINK_LIMITED } from "~/features/accounts/password-reset-request.server";
import { endOfDay, grantMembership } from "~/features/billing/grant-membership.server";
import { deleteAccount, describeLeftCustomer } from "~/features/my-account/delete-account.server";
import { endOtherSessions } from "~/features/my-account/end-sessions.server";
import { OperatorError } from "~db/operator-error";
import type { MemberOverview } from "~db/queries/members";
import { liftSuppressions, suppressAddresses } from "~db/queries/suppressed-addresses";
import type { Author } from "./author.server";
import { recordChange } from "./desk-log.server";
import { findPersonByEmail, type Person } from "./people.server";
import { PEOPLE_PATH, personPath, SUPPRESSIONS } from "./people-paths";

type Fields = Record<string, string>;

/** A change that was made, as the toast and the log say it, perhaps with a link to show. */
type Change = { did: string; url?: string };

const refuse = (why: string): never => {
  throw new OperatorError(why);
};
const fail = () => refuse("That did not work; the program’s log says why. Please try again.");

/** Whether the password is asked for again: the change cannot be undone, or gives access to the account. */
export const isSensitiveChange = ({ intent = "", reason = "listed" }: Fields) =>
  /^(reset-link|delete)$/.test(intent) || reason !== "listed";

/**
 * Makes the change to a person that a form's fields name by `intent`, as the commands do, and records it. `path` is the person's
 * page afterward, or the list's if nothing is left of the person. Throws an OperatorError that says why nothing was changed.
 */
export async function changePerson(
  author: Author,
  { email, member }: Person,
  fields: Fields,
): Promise<Change & { path: string }> {
  const change =
    (await changeAddress(email, fields)) ??
    (member && (await changeAccount(member, fields, author))) ??
    refuse("This form is no longer on the page. Reload the page.");
  const after = await findPersonByEmail(email);
  await recordChange(author, change.did, { about: after?.member?.id });
  return { ...change, path: after ? personPath(after.key) : PEOPLE_PATH };
}

async function changeAddress(email: string, { intent, ...fields }: Fields): Promise<Change | null> {
  switch (intent) {
    case "suppress": {
      const [reason, why] =
        SUPPRESSIONS.find(([one]) => one === fields.reason) ?? refuse("Say why.");
      await suppressAddresses([email], reason);
      return { did: `Stopped the newsletter to an address: ${why}` };
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
  const { intent = "", until = "" } = fields;
  if (/^(sign-out|delete)$/.test(intent) && id === author.userId) {
    return refuse("This is your own account. Do that on your account page.");
  }
  switch (intent) {
    case "reset-link": {
      const link = await createResetLink(email, "operator");
      if (link.kind !== "created") return refuse(LINK_LIMITED);
      return { did: "Made a link for a new password", url: link.url };
    }
    case "grant": {
      const end = endOfDay(until) ?? refuse("Choose a day, such as 2027-06-30.");
      const did = `Made a membership complimentary until ${until}`;
      if (await grantMembership(id, end)) return { did };
      return { did: `${did}. Stripe didn’t say how long is paid. The site asks again by itself.` };
    }
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
  const left = outcome.left ? `. ${describeLeftCustomer(outcome.left, profile)}` : "";
  return { did: `Deleted an account${left}` };
}
