import { readEmail } from "~/environment/email-address.server";
import {
  createResetLink,
  LINK_LIMITED,
  requestPasswordReset,
} from "~/features/accounts/password-reset-request.server";
import { endOfDay, grantMembership } from "~/features/billing/grant-membership.server";
import { deleteAccount } from "~/features/my-account/delete-account.server";
import { describeLeftCustomer } from "~/features/my-account/describe-deletion";
import { endOtherSessions } from "~/features/my-account/end-sessions.server";
import { addSubscriber, describeListing } from "~/features/newsletter/add-subscriber.server";
import { consentSourceSchema } from "~/features/newsletter/consent-source";
import type { MemberOverview } from "~db/queries/members";
import { liftSuppressions, suppressAddresses } from "~db/queries/suppressed-addresses";
import type { Author } from "./author.server";
import { recordChange } from "./desk-log.server";
import { findPersonByEmail, type Person } from "./people.server";

type Fields = Record<string, string>;

/** What came of a change. */
export type ChangeOutcome =
  /** `key` is the person's afterward; null if nothing is left of the person. */
  | { kind: "done"; title: string; note?: string; key: string | null }
  | { kind: "refused"; message: string };

/** A change that was made, with its toast and its row in the log; or why it was not. */
type Change = { title: string; note?: string; logged: string } | { refused: string };

/** A link that was made, to be shown once. */
type Link = { url: string; logged: string };

const FAILED = { refused: "That did not work; the program’s log says why. Please try again." };

/** Whether the password is asked for again: the change cannot be undone, or gives access to the account. */
export const isSensitiveChange = ({ intent = "", reason }: Fields) =>
  /^(mail-link|show-link|unsubscribe)$/.test(intent) ||
  (intent === "suppress" && reason === "complaint");

/** Makes the change to a person that a form's fields name by `intent`, as the commands do, and records it. */
export async function changePerson(
  author: Author,
  person: Person,
  fields: Fields,
): Promise<ChangeOutcome | { kind: "link"; url: string }> {
  const { member, email } = person;
  const ofAccount = member && OF_ACCOUNTS.get(fields.intent ?? "");
  const ofAddress = OF_ADDRESSES.get(fields.intent ?? "");
  const change = ofAccount
    ? await ofAccount(member, fields, author)
    : ofAddress
      ? await ofAddress(email, fields)
      : { refused: "This form is no longer on the page. Reload the page." };
  const about = member?.id;
  if (!("url" in change)) return finish(author, change, { email, about });
  await recordChange(author, change.logged, { about });
  return { kind: "link", url: change.url };
}

/** Records a change that was made to an address, and its account if it has one. */
async function finish(
  author: Author,
  change: Change,
  { email, about }: { email: string; about?: string },
): Promise<ChangeOutcome> {
  if ("refused" in change) return { kind: "refused", message: change.refused };
  const { title, note, logged } = change;
  await recordChange(author, logged, { about });
  return { kind: "done", title, note, key: (await findPersonByEmail(email))?.key ?? null };
}

const OF_ACCOUNTS = new Map<
  string,
  (member: MemberOverview, fields: Fields, author: Author) => Promise<Change | Link>
>([
  [
    "mail-link",
    async ({ email }) => {
      const { kind } = await requestPasswordReset(email, null);
      if (kind !== "accepted") return FAILED;
      return {
        title: "The link is on its way by mail.",
        logged: "Mailed a link for a new password",
      };
    },
  ],
  [
    "show-link",
    async ({ email }) => {
      const outcome = await createResetLink(email, "operator");
      if (outcome.kind !== "created") return { refused: LINK_LIMITED };
      return { url: outcome.url, logged: "Made a link for a new password" };
    },
  ],
  [
    "sign-out",
    async ({ id }, _, author) => {
      if (id === author.userId) {
        return { refused: "This is your own account. End its sessions on your account page." };
      }
      if ((await endOtherSessions(id, null)).kind === "failed") return FAILED;
      return { title: "Logged out everywhere.", logged: "Ended all sessions of an account" };
    },
  ],
  [
    "grant",
    async ({ id }, { until = "" }) => {
      const end = endOfDay(until);
      if (end === null) return { refused: "Choose a day, such as 2027-06-30." };
      if (end < new Date()) return { refused: "Choose a day that is still to come." };
      return grant(id, end, `Made a membership complimentary until ${until}`);
    },
  ],
  ["end-grant", ({ id }) => grant(id, new Date(), "Ended a complimentary membership")],
]);

async function grant(userId: string, until: Date, logged: string): Promise<Change> {
  const isSynced = await grantMembership(userId, until);
  const note = "Stripe didn’t say how long is paid. The site asks again automatically.";
  return { title: "The membership is changed.", note: isSynced ? undefined : note, logged };
}

const OF_ADDRESSES = new Map<string, (email: string, fields: Fields) => Promise<Change>>([
  ["subscribe", (email, { source = "" }) => addToList(email, source)],
  [
    "unsubscribe",
    async (email) => {
      await suppressAddresses([email], "unsubscribed");
      return {
        title: "The address is off the list, and stays out until its owner subscribes again.",
        logged: "Removed an address from the newsletter",
      };
    },
  ],
  [
    "suppress",
    async (email, { reason }) => {
      const chosen = reason === "complaint" ? "complaint" : "listed";
      await suppressAddresses([email], chosen);
      return { title: "The address is suppressed.", logged: `Suppressed an address as ${chosen}` };
    },
  ],
  [
    "lift",
    async (email) => {
      const lifted = await liftSuppressions([email]);
      if (lifted === 0) {
        return { refused: "Only its owner can lift this, by subscribing on the site again." };
      }
      return { title: "The address gets mail again.", logged: "Lifted a suppression" };
    },
  ],
]);

async function addToList(email: string, typedSource: string): Promise<Change> {
  const source = consentSourceSchema.safeParse(typedSource);
  if (!source.success) return { refused: describeSource(source.error.issues) };
  const outcome = await addSubscriber(email, source.data);
  const sentence = `The address ${describeListing(outcome)}`;
  if (outcome.kind === "suppressed") return { refused: sentence };
  return { title: sentence, logged: "Added an address to the newsletter" };
}

/** What is wrong with a source of consent, for the author. */
export const describeSource = ([issue]: { message: string }[]) =>
  `Say in one line where the consent comes from: ${issue?.message}.`;

/** Adds an address to the newsletter, as its owner agreed elsewhere, and records it. */
export async function addPerson(author: Author, fields: Fields): Promise<ChangeOutcome> {
  const email = readEmail(fields.email);
  if (email === null) return { kind: "refused", message: "This is not an email address." };
  return finish(author, await addToList(email, fields.source ?? ""), { email });
}

/**
 * Deletes a person's account, as `members delete` does, and records it. Refuses an author's own account, and while the typed
 * address is another.
 */
export async function deletePerson(
  author: Author,
  member: MemberOverview,
  { email, anyway }: Fields,
): Promise<ChangeOutcome> {
  const refused = (message: string): ChangeOutcome => ({ kind: "refused", message });
  if (member.id === author.userId) {
    return refused("This is your own account. Delete it on your account page.");
  }
  if (readEmail(email) !== member.email) {
    return refused("That is another address. Type the address of this account to delete it.");
  }
  const outcome = await deleteAccount(member.id, { anyway: anyway === "on" });
  if (outcome.kind === "stripe-failed") {
    return refused(
      `${outcome.message} To delete the account anyway and end the membership by hand at Stripe, tick the box.`,
    );
  }
  if (outcome.kind === "failed") return refused(FAILED.refused);
  const note = outcome.left && describeLeftCustomer(outcome.left, member);
  await recordChange(author, ["Deleted an account", note].filter(Boolean).join(". "));
  return { kind: "done", title: "The account is deleted.", note, key: null };
}
