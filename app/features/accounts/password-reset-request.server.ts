import { env } from "~/env.server";
import {
  enqueueMailToCompose,
  isMailQueueFull,
  type MailComposer,
} from "~/features/mail/enqueue-mail.server";
import { renderMail } from "~/features/mail/render-mail";
import { passwordResetMail } from "~/features/mail/templates/account-mails";
import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { log } from "~/observability/log.server";
import { logSecurityEvent } from "~/observability/security-log.server";
import { type Executor, getDatabase, type Transaction } from "~db/client";
import { deletePasswordReset, replacePasswordReset } from "~db/queries/password-resets";
import { findUserByEmail } from "~db/queries/users";
import { passwordResetPath } from "./auth-paths";
import { createLinkToken } from "./link-token.server";

/** How long a link is valid, and how soon a user can be sent another one, in milliseconds. */
const LINK_LIFETIME_MS = 60 * 60 * 1000;
const RESEND_AFTER_MS = 60 * 1000;

/**
 * Maximum links mailed to one user in an hour, whoever requests them. Further requests get the usual response,
 * and the last link still works, so nobody can lock an owner out by repeated requests.
 */
const MAX_MAILS = 6;
const MAIL_COUNT_WINDOW_MS = 60 * 60 * 1000;

/**
 * Queues a password reset link for the user with this address; "busy" while too many mails wait. Outcome and
 * timing do not depend on whether an account exists: even the look-up happens in the background. Never throws.
 */
export async function requestPasswordReset(
  email: string,
): Promise<{ kind: "accepted" | "busy" | "failed" }> {
  try {
    if (await isMailQueueFull()) return { kind: "busy" };
    await enqueueMailToCompose({ kind: "password-reset", email });
    wakeMailWorker();
    return { kind: "accepted" };
  } catch (error) {
    log().error({ err: error }, "a password reset could not be requested");
    return { kind: "failed" };
  }
}

/**
 * Opens a password reset for a user, in the place of any other, and returns the token of its link: for somebody who
 * has proved in another way that the account is theirs, and is not mailed a link.
 */
export async function openPasswordReset(userId: string, tx: Transaction): Promise<string> {
  const { token, tokenHash } = createLinkToken();
  const now = new Date();
  await deletePasswordReset(userId, tx);
  await replacePasswordReset(
    { userId, tokenHash, createdAt: now, expiresAt: new Date(now.getTime() + LINK_LIFETIME_MS) },
    { askAgainAfter: now, countSince: now, most: MAX_MAILS },
    tx,
  );
  return token;
}

/** A new link to choose a password, for the owner of the address alone. */
export type ResetLinkOutcome =
  | { kind: "created"; url: string; email: string }
  | { kind: "no-account" }
  /** The last link is too young, or there have been too many; it still works. */
  | { kind: "limited" };

/**
 * Makes a link with which the user with this address chooses a new password: valid once, for an hour, in place of any
 * older one, and no more often than links are mailed. The operator reads it out to a member who has no mail. Throws
 * PostgreSQL's errors.
 */
export async function createResetLink(
  email: string,
  by: "mail" | "operator",
  executor: Executor = getDatabase().db,
): Promise<ResetLinkOutcome> {
  const user = await findUserByEmail(email, executor);
  if (!user) return { kind: "no-account" };
  const { token, tokenHash } = createLinkToken();
  const now = Date.now();
  const replaced = await replacePasswordReset(
    {
      userId: user.id,
      tokenHash,
      createdAt: new Date(now),
      expiresAt: new Date(now + LINK_LIFETIME_MS),
    },
    {
      askAgainAfter: new Date(now - RESEND_AFTER_MS),
      countSince: new Date(now - MAIL_COUNT_WINDOW_MS),
      most: MAX_MAILS,
    },
    executor,
  );
  if (!replaced) return { kind: "limited" };
  const facts = { userId: user.id, ...(by === "operator" ? { by } : {}) };
  logSecurityEvent("password-reset-requested", facts, "password reset requested");
  return { kind: "created", url: env().PUBLIC_URL + passwordResetPath(token), email: user.email };
}

/** The mail with a new link, which replaces any older one; null without an account or beyond the mail limit. */
export const composePasswordReset: MailComposer = async (email, tx) => {
  const link = await createResetLink(email, "mail", tx);
  if (link.kind !== "created") return null;
  return { to: link.email, message: await renderMail(passwordResetMail({ url: link.url })) };
};
