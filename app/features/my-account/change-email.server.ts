import { randomBytes } from "node:crypto";
import { env } from "~/env.server";
import { emailSchema } from "~/environment/email-address.server";
import { passwordResetPath } from "~/features/accounts/auth-paths";
import { guardAuthor } from "~/features/accounts/authors.server";
import { firstProblem } from "~/features/accounts/credentials";
import { createLinkToken, hashLinkToken } from "~/features/accounts/link-token.server";
import { hashPassword } from "~/features/accounts/password.server";
import { openPasswordReset } from "~/features/accounts/password-reset-request.server";
import {
  type SignedIn,
  type VerificationOutcome,
  verifyIdentity,
} from "~/features/accounts/verify-identity.server";
import { syncNewEmail } from "~/features/billing/customer-email.server";
import {
  enqueueMail,
  enqueueMailToCompose,
  isMailQueueFull,
  type MailComposer,
} from "~/features/mail/enqueue-mail.server";
import { renderMail } from "~/features/mail/render-mail";
import { emailChangedMail, emailChangeMail } from "~/features/mail/templates/account-mails";
import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { unsubscribeTokenOf } from "~/features/newsletter/unsubscribe-token.server";
import { QueueFull } from "~/http/bounded-queue.server";
import { clientNetworks } from "~/http/client-network.server";
import type { FieldValue } from "~/http/request-body.server";
import { log } from "~/observability/log.server";
import { logSecurityEvent } from "~/observability/security-log.server";
import { db } from "~db/client";
import { databaseErrorCode } from "~db/database-errors";
import {
  changeEmail,
  deleteEmailChangesSince,
  findEmailChange,
  insertEmailChange,
  isEmailTaken,
  lockEmailChange,
  markEmailChanged,
  setConfirmToken,
} from "~db/queries/email-changes";
import { deletePasskeysSince } from "~db/queries/passkeys";
import { deletePasswordReset } from "~db/queries/password-resets";
import { deletePodcastFeed } from "~db/queries/podcast-feeds";
import { deleteOtherSessions } from "~db/queries/sessions";
import { updatePassword } from "~db/queries/users";
import type { EmailChange } from "~db/schema";
import { confirmEmailChangePath, undoEmailChangePath } from "./account-paths";

/** PostgreSQL's code for a unique constraint violation. */
const UNIQUE_VIOLATION = "23505";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Lifetimes of the link that confirms a change and the link that undoes it, in milliseconds. */
const CONFIRM_LIFETIME_MS = DAY_MS;
const UNDO_LIFETIME_MS = 7 * DAY_MS;

/**
 * Undoing a change also removes passkeys and podcast addresses added up to this long before it was requested, in
 * milliseconds: a thief who knows the password may add a passkey first.
 */
const DOUBTFUL_MS = 7 * DAY_MS;

export type EmailChangeRequestOutcome =
  /** A link is on its way to the new address, unless that belongs to another account. */
  { kind: "requested" } | Exclude<VerificationOutcome, { kind: "verified" }>;

/**
 * Requests a change of address, with the password or a passkey; it takes effect once confirmed. Neither outcome nor timing reveals
 * whether another account has the new address. The caller limits the attempts. Never throws.
 */
export async function requestEmailChange(
  account: SignedIn,
  { email, password }: { email: FieldValue; password: FieldValue },
  clientAddress: string | undefined,
): Promise<EmailChangeRequestOutcome> {
  const parsed = emailSchema.safeParse(email);
  if (!parsed.success) return { kind: "rejected", message: firstProblem(parsed.error) };
  const newEmail = parsed.data;
  if (newEmail === account.email) {
    return { kind: "rejected", message: "This is already your address." };
  }
  const verified = await verifyIdentity(account, password, clientAddress);
  if (verified.kind !== "verified") return verified;
  try {
    if (await isMailQueueFull()) return { kind: "busy" };
    const { userId, email: oldEmail } = account;
    const createdAt = new Date();
    const expiresAt = new Date(createdAt.getTime() + CONFIRM_LIFETIME_MS);
    await db().transaction(async (tx) => {
      await insertEmailChange({ userId, oldEmail, newEmail, createdAt, expiresAt }, tx);
      await enqueueMailToCompose({ kind: "email-change", email: newEmail }, tx);
    });
    logSecurityEvent("email-change-requested", { userId }, "change of address requested");
    wakeMailWorker();
    return { kind: "requested" };
  } catch (error) {
    log().error(
      { err: error, userId: account.userId },
      "a change of address could not be requested",
    );
    return { kind: "failed" };
  }
}

/** Composes the mail that asks to confirm a new address; null if another account has it. */
export const composeEmailChange: MailComposer = async (email, tx) => {
  const now = new Date();
  if (await isEmailTaken(email, { exceptFor: null, now }, tx)) return null;
  const { token, tokenHash } = createLinkToken();
  if (!(await setConfirmToken(email, { confirmTokenHash: tokenHash, now }, tx))) return null;
  const url = env().PUBLIC_URL + confirmEmailChangePath(token);
  return { to: email, message: await renderMail(emailChangeMail({ url })) };
};

/** Returns the change for a link's token, without using it up; null if the link is used, expired or forged. */
export async function lookUpEmailChange(
  kind: "confirm" | "undo",
  token: unknown,
): Promise<EmailChange | null> {
  const tokenHash = hashLinkToken(token);
  return tokenHash === null ? null : findEmailChange({ kind, tokenHash }, new Date());
}

export type EmailConfirmationOutcome =
  | { kind: "changed"; email: string }
  /** The link is used, expired, forged or for another account. */
  | { kind: "invalid-link" }
  /** Another account has taken this address meanwhile. */
  | { kind: "taken" }
  | { kind: "failed" };

/**
 * Changes an account's address with the link to the new one, for that account's user only. Mails the old address a
 * link that undoes it, and revokes open password reset links. Never throws.
 */
export async function confirmEmailChange(
  token: unknown,
  userId: string,
): Promise<EmailConfirmationOutcome> {
  const tokenHash = hashLinkToken(token);
  if (!tokenHash) return { kind: "invalid-link" };
  try {
    const change = await findEmailChange({ kind: "confirm", tokenHash }, new Date());
    if (change?.userId !== userId) return { kind: "invalid-link" };
    const unsubscribeToken = await unsubscribeTokenOf(change.newEmail);
    const outcome = await makeChange(tokenHash, unsubscribeToken);
    if (outcome.kind !== "changed") return outcome;
    logSecurityEvent("email-changed", { userId }, "address changed");
    wakeMailWorker();
    void syncNewEmail(userId);
    return outcome;
  } catch (error) {
    // another account took it after the look-up
    if (databaseErrorCode(error) === UNIQUE_VIOLATION) return { kind: "taken" };
    log().error({ err: error, userId }, "an address could not be changed");
    return { kind: "failed" };
  }
}

function makeChange(
  tokenHash: string,
  unsubscribeToken: string,
): Promise<EmailConfirmationOutcome> {
  return db().transaction(async (tx): Promise<EmailConfirmationOutcome> => {
    const now = new Date();
    const change = await lockEmailChange({ kind: "confirm", tokenHash }, now, tx);
    if (!change || change.currentEmail !== change.oldEmail) return { kind: "invalid-link" };
    const { id, userId, oldEmail, newEmail } = change;
    if (await isEmailTaken(newEmail, { exceptFor: userId, now }, tx)) return { kind: "taken" };
    await changeEmail({ userId, from: oldEmail, to: newEmail, unsubscribeToken }, now, tx);
    await deletePasswordReset(userId, tx);
    const undo = createLinkToken();
    await markEmailChanged(
      id,
      {
        undoTokenHash: undo.tokenHash,
        changedAt: now,
        expiresAt: new Date(now.getTime() + UNDO_LIFETIME_MS),
      },
      tx,
    );
    const url = env().PUBLIC_URL + undoEmailChangePath(undo.token);
    const message = await renderMail(emailChangedMail({ url }));
    await enqueueMail({ kind: "email-changed", to: oldEmail, message }, tx);
    await guardAuthor({ userId, emails: [oldEmail, newEmail], change: "address" }, tx);
    return { kind: "changed", email: newEmail };
  });
}

export type UndoOutcome =
  /** `resetPath` is where the owner chooses a new password; `hasRemoved` is whether a passkey or podcast address went. */
  | { kind: "undone"; resetPath: string; hasRemoved: boolean }
  | { kind: "invalid-link" }
  /** Too many passwords are waiting to be hashed; the link still works. */
  | { kind: "busy" }
  | { kind: "failed" };

/**
 * Returns an account to the owner of its former address, whatever has changed since. Restores the address, ends every
 * session, and removes passkeys and a podcast address added since 7 days before the change was requested. Invalidates the
 * password, which somebody else may know, and with it the known browsers; the owner chooses a new one. Never throws.
 */
export async function undoEmailChange(
  token: unknown,
  clientAddress: string | undefined,
): Promise<UndoOutcome> {
  const tokenHash = hashLinkToken(token);
  if (!tokenHash) return { kind: "invalid-link" };
  const network = clientNetworks(clientAddress);
  try {
    // checked first, so a forged link costs no hashing
    const change = await findEmailChange({ kind: "undo", tokenHash }, new Date());
    if (!change) return { kind: "invalid-link" };
    const unsubscribeToken = await unsubscribeTokenOf(change.oldEmail);
    const unknownPassword = await hashPassword(randomBytes(32).toString("base64url"), network);
    const reverted = await revert(tokenHash, { unsubscribeToken, unknownPassword });
    if (!reverted) return { kind: "invalid-link" };
    const { resetToken, hasRemoved } = reverted;
    const { userId } = change;
    const facts = { userId, network: network.narrow };
    logSecurityEvent("email-change-undone", facts, "change of address undone");
    wakeMailWorker();
    void syncNewEmail(userId);
    return { kind: "undone", resetPath: passwordResetPath(resetToken), hasRemoved };
  } catch (error) {
    if (error instanceof QueueFull) return { kind: "busy" };
    log().error({ err: error }, "a change of address could not be undone");
    return { kind: "failed" };
  }
}

/**
 * Returns a password reset token and whether a passkey or podcast address was removed; null if the undo link was used
 * before.
 */
function revert(
  tokenHash: string,
  { unsubscribeToken, unknownPassword }: { unsubscribeToken: string; unknownPassword: string },
): Promise<{ resetToken: string; hasRemoved: boolean } | null> {
  return db().transaction(async (tx) => {
    const now = new Date();
    const change = await lockEmailChange({ kind: "undo", tokenHash }, now, tx);
    if (!change) return null;
    const { userId, currentEmail, oldEmail, createdAt } = change;
    if (currentEmail !== oldEmail) {
      await changeEmail({ userId, from: currentEmail, to: oldEmail, unsubscribeToken }, now, tx);
    }
    await guardAuthor({ userId, emails: [oldEmail, currentEmail], change: "address" }, tx);
    await deleteEmailChangesSince(change, tx);
    await updatePassword(userId, { passwordHash: unknownPassword, isPasswordGuessable: false }, tx);
    await deleteOtherSessions(userId, null, tx);
    const since = new Date(createdAt.getTime() - DOUBTFUL_MS);
    const removedPasskeys = await deletePasskeysSince(userId, since, tx);
    const hasRemoved = (await deletePodcastFeed(userId, since, tx)) || removedPasskeys > 0;
    return { resetToken: await openPasswordReset(userId, tx), hasRemoved };
  });
}
