import { withAsciiDomain } from "~/environment/email-address.server";
import { createResetLink, LINK_LIMITED } from "~/features/accounts/password-reset-request.server";
import { endOfDay, grantMembership } from "~/features/billing/grant-membership.server";
import { describeMembership } from "~/features/membership/describe-membership";
import { deleteAccount, describeLeftCustomer } from "~/features/my-account/delete-account.server";
import { describeMember } from "~/features/my-account/describe-member";
import { endOtherSessions } from "~/features/my-account/end-sessions.server";
import { openAccountExport } from "~/features/my-account/export-account.server";
import { exportMembers } from "~/features/my-account/export-members.server";
import { printableText } from "~/features/newsletter/address-file/printable-text";
import { formatCount } from "~/features/newsletter/format-count";
import { OperatorError } from "~db/operator-error";
import {
  countMembers,
  findMemberOverview,
  findMembers,
  type MemberOverview,
} from "~db/queries/members";
import { requireConfirmation } from "./confirm.server";
import { note, print, printCount, whileRead, writeOut } from "./output.server";
import { readLimit, requireEmail, shownEmail } from "./parameters.server";
import { withDatabase } from "./with-database.server";

// a command is the export of its name
export {
  countAll as count,
  deleteMember as delete,
  exportMember as export,
  resetLink as "reset-link",
  signOut as "sign-out",
};

const DAY_MS = 24 * 60 * 60 * 1000;

/** Days in which accounts count as new. */
const NEW_DAYS = 30;

type ListOptions = { limit?: string; match?: string; premium?: boolean; csv?: boolean };

/** `members list`: accounts by address, since when they exist, and until when they are premium. */
export async function list(options: ListOptions): Promise<void> {
  const { match = "", premium = false, csv = false } = options;
  // as CSV by default all, however many there are
  const limit = readLimit(options.limit ?? (csv ? "9999999" : "20"));
  await withDatabase(async () => {
    const filter = { match: withAsciiDomain(match), premium, now: new Date() };
    if (csv) return whileRead(() => exportMembers({ ...filter, limit }, writeOut));
    // one more, to see whether there are more: counting them would take longer than listing them
    const found = await findMembers({ ...filter, limit: limit + 1 });
    for (const { email, createdAt, emailConfirmedAt, premiumUntil, isComplimentary } of found.slice(
      0,
      limit,
    )) {
      const kind = isComplimentary ? "complimentary" : "premium";
      const membership = premiumUntil ? `${kind} until ${dayOf(premiumUntil)}` : "not premium";
      const address = emailConfirmedAt ? "confirmed" : "not confirmed";
      print([shownEmail(email), dayOf(createdAt), membership, address].join("\t"));
    }
    note(
      found.length > limit
        ? `The first ${formatCount(limit)} by address; see more with --limit, or fewer with --match.`
        : `${formatCount(found.length)} in all`,
    );
  });
}

/** `members count`: how many accounts there are. */
async function countAll(): Promise<void> {
  await withDatabase(async () => {
    const now = new Date();
    const since = new Date(now.getTime() - NEW_DAYS * DAY_MS);
    const counts = await countMembers({ since, now });
    printCount("accounts", counts.accounts);
    printCount(`  new in the last ${NEW_DAYS} days`, counts.createdSince);
    printCount("  with a confirmed address", counts.confirmed);
    printCount("  premium members", counts.premium);
    printCount("    of these, complimentary", counts.complimentary);
    printCount("  being deleted", counts.beingDeleted);
  });
}

/** `members show`: prints the state of one account, and how much data of each kind it has. */
export async function show(address: string): Promise<void> {
  await withMember(address, async (member) => {
    printFact("Email", shownEmail(member.email));
    for (const [what, fact] of describeMember(member)) printFact(what, fact);
  });
}

/** `members grant`: makes a membership complimentary until the end of a day in UTC; a past day ends that. */
export async function grant(address: string, { until }: { until: string }): Promise<void> {
  const day = endOfDay(until);
  if (day === null) {
    const found = printableText(until);
    throw new OperatorError(`--until: found ${found}, wanted a day such as 2027-06-30.`);
  }
  await withMember(address, async ({ id, email }) => {
    const isSynced = await grantMembership(id, day);
    const member = await findMemberOverview(email, new Date());
    print(`${shownEmail(email)}: ${describeMembership(member?.profile ?? null, new Date())}`);
    if (!isSynced) note("Stripe didn't say how long is paid. The site asks again automatically.");
  });
}

/** `members reset-link`: prints a link for a new password, for the operator to pass on. */
async function resetLink(address: string): Promise<void> {
  await withMember(address, async ({ email, emailConfirmedAt }) => {
    const outcome = await createResetLink(email, "operator");
    if (outcome.kind === "no-account") throw unknownMember(email);
    if (outcome.kind === "limited") throw new OperatorError(LINK_LIMITED);
    print(outcome.url);
    note(
      "It works once, for an hour, and replaces any link mailed before. Anyone with it can take over the account: be sure who asked.",
    );
    if (!emailConfirmedAt) {
      note("This address isn't confirmed yet. Choosing a password with the link confirms it.");
    }
  });
}

/** `members sign-out`: ends all sessions of an account. */
async function signOut(address: string): Promise<void> {
  await withMember(address, async ({ id, email, sessions }) => {
    const { kind } = await endOtherSessions(id, null);
    if (kind === "failed") throw new OperatorError("No one was logged out; the log says why.");
    print(`${shownEmail(email)} was logged out of ${formatCount(sessions, "browser")}.`);
  });
}

/** `members export`: all data about an account, as JSON on standard output. */
async function exportMember(address: string): Promise<void> {
  await withMember(address, async ({ id, email }) => {
    const outcome = await openAccountExport(id);
    if (outcome.kind === "no-account") throw unknownMember(email);
    if (outcome.kind === "failed") {
      throw new OperatorError("Nothing was exported; the log says why.");
    }
    await whileRead(async () => {
      for await (const part of outcome.parts) await writeOut(part);
    });
  });
}

/** `members delete`: deletes an account and its membership at Stripe, after listing what will be deleted. */
async function deleteMember(
  address: string,
  options: { yes?: boolean; anyway?: boolean },
): Promise<void> {
  await withMember(address, async (member) => {
    const email = shownEmail(member.email);
    note(`This deletes the account of ${email}permanently, and mails the address:`);
    note(`  membership    ${describeMembership(member.profile, new Date())}`);
    if (member.profile?.stripeCustomerId) {
      note("                it ends at Stripe without a refund, and Stripe keeps the receipts");
    }
    note(`  notes         on ${formatCount(member.notes, "text")}`);
    note(`  newsletter    ${member.newsletter ? "is removed from the list" : "isn't on the list"}`);
    note("  and           picture, passkeys, sessions, reading progress, podcast address");
    if (!options.yes) await requireConfirmation(email, "delete the account");
    const outcome = await deleteAccount(member.id, options);
    switch (outcome.kind) {
      case "deleted":
        print(`${email} was deleted.`);
        if (outcome.left) print(describeLeftCustomer(outcome.left, member.profile));
        return;
      case "stripe-failed":
        throw new OperatorError(
          `${outcome.message} To delete it anyway and end the membership by hand, add --anyway.`,
        );
      case "failed":
        throw new OperatorError("The account was not deleted; the log says why.");
    }
  });
}

/** Runs a command on the account with an address; throws an OperatorError if there is none. */
async function withMember(
  address: string,
  work: (member: MemberOverview) => Promise<void>,
): Promise<void> {
  const email = requireEmail(address);
  await withDatabase(async () => {
    const member = await findMemberOverview(email, new Date());
    if (!member) throw unknownMember(email);
    await work(member);
  });
}

function unknownMember(email: string): OperatorError {
  return new OperatorError(`${shownEmail(email)} has no account.`);
}

function printFact(what: string, fact: string): void {
  print(`${what.padEnd(14)}${printableText(fact)}`);
}

const dayOf = (time: Date) => time.toISOString().slice(0, 10);
