import { readableEmail } from "~/environment/email-address.server";
import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { QueueFull } from "~/http/bounded-queue.server";
import { clientNetworks } from "~/http/client-network.server";
import { log } from "~/observability/log.server";
import { logSecurityEvent } from "~/observability/security-log.server";
import { db } from "~db/client";
import { countPasskeys } from "~db/queries/passkeys";
import { findPasswordReset, takePasswordReset } from "~db/queries/password-resets";
import { findPodcastToken } from "~db/queries/podcast-feeds";
import { deleteOtherSessions } from "~db/queries/sessions";
import { confirmEmail, updatePassword } from "~db/queries/users";
import { guardAuthor } from "./authors.server";
import { hashLinkToken } from "./link-token.server";
import { hashPassword, isGuessable } from "./password.server";
import { enqueuePasswordChanged } from "./password-changed-notice.server";
import { openSession } from "./sessions.server";

/** Data of the password reset page; `email` is null while the database is unavailable. */
export type PasswordResetView = { token: string; email: string | null };

/** Returns a link's token and its user's email, without using it up; null if the link is used, expired or forged. */
export async function lookUpPasswordReset(token: string): Promise<PasswordResetView | null> {
  const tokenHash = hashLinkToken(token);
  if (!tokenHash) return null;
  try {
    const reset = await findPasswordReset(tokenHash, new Date());
    return reset && { token, email: readableEmail(reset.email) };
  } catch (error) {
    log().error({ err: error }, "a password reset link could not be looked up; its form is shown");
    return { token, email: null };
  }
}

/** The outcome of changing a password with a link. */
export type PasswordResetOutcome =
  /** `session` is the new session's token; `keepsOthers` is whether a passkey or podcast address still opens the account. */
  | { kind: "changed"; userId: string; email: string; session: string; keepsOthers: boolean }
  /** The link is used, expired or forged, or the password has been changed again since. */
  | { kind: "invalid-link" }
  /** Too many passwords are waiting to be hashed; the link still works. */
  | { kind: "busy" }
  | { kind: "failed" };

/**
 * Changes a user's password with a link. Uses up the link, ends the user's sessions and the browser's current
 * session, and opens a new session for this browser. Never throws.
 */
export async function resetPassword(
  { token, password }: { token: string; password: string },
  browser: { clientAddress: string | undefined; session: string | null; userAgent: string | null },
): Promise<PasswordResetOutcome> {
  const tokenHash = hashLinkToken(token);
  if (!tokenHash) return { kind: "invalid-link" };
  const network = clientNetworks(browser.clientAddress);
  try {
    // Checked first, so a forged link costs no hashing.
    const reset = await findPasswordReset(tokenHash, new Date());
    if (!reset) return { kind: "invalid-link" };
    const { userId, email } = reset;
    const passwordHash = await hashPassword(password, network);
    const isPasswordGuessable = await isGuessable(password, email);
    if (!(await changePassword(tokenHash, { passwordHash, isPasswordGuessable, email })))
      return { kind: "invalid-link" };
    const facts = { userId, network: network.narrow };
    logSecurityEvent("password-reset", facts, "password changed by a reset link");
    wakeMailWorker();
    const { session: before, ...origin } = browser;
    const session = await openSession({ id: userId, passwordHash }, before, origin);
    if (!session) return { kind: "invalid-link" };
    const keepsOthers =
      (await countPasskeys(userId)) > 0 || (await findPodcastToken(userId)) !== null;
    return { kind: "changed", userId, email, session, keepsOthers };
  } catch (error) {
    if (error instanceof QueueFull) return { kind: "busy" };
    log().error({ err: error }, "password reset failed");
    return { kind: "failed" };
  }
}

/**
 * Uses up the link, sets the hash, ends every session and notifies the owner by mail, in one transaction. Returns
 * false if the link was used before.
 */
function changePassword(
  tokenHash: string,
  { email, ...password }: { passwordHash: string; isPasswordGuessable: boolean; email: string },
): Promise<boolean> {
  return db().transaction(async (tx) => {
    const userId = await takePasswordReset(tokenHash, new Date(), tx);
    if (!userId) return false;
    await updatePassword(userId, password, tx);
    // having the link proves access to this address's mail
    await confirmEmail({ userId, email }, new Date(), tx);
    await deleteOtherSessions(userId, null, tx);
    await enqueuePasswordChanged({ userId, to: email, by: "reset" }, tx);
    await guardAuthor({ userId, emails: [email], change: "password" }, tx);
    return true;
  });
}
