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
import { db, type Executor, type Transaction } from "~db/client";
import { deletePasswordReset, replacePasswordReset } from "~db/queries/password-resets";
import { findUserByEmail } from "~db/queries/users";
import { passwordResetPath } from "./auth-paths";
import { leadingTo } from "./destination";
import { createLinkToken } from "./link-token.server";

/** Lifetime of a link, and minimum time between two links for one user, in milliseconds. */
const LINK_LIFETIME_MS = 60 * 60 * 1000;
const RESEND_AFTER_MS = 60 * 1000;

/**
 * Maximum links per user and hour, from all requests together. Further requests get the usual response and the last
 * link still works, so repeated requests cannot lock an owner out.
 */
const MAX_MAILS = 6;
const MAIL_COUNT_WINDOW_MS = 60 * 60 * 1000;

/**
 * Queues a password reset link for the user with this address, which then leads to a destination, if any; "busy" if too
 * many mails are queued. Neither outcome nor timing reveals whether an account exists: even the look-up runs in the
 * background. Never throws.
 */
export async function requestPasswordReset(
  email: string,
  leadsTo: string | null,
): Promise<{ kind: "accepted" | "busy" | "failed" }> {
  try {
    if (await isMailQueueFull()) return { kind: "busy" };
    await enqueueMailToCompose({ kind: "password-reset", email, leadsTo });
    wakeMailWorker();
    return { kind: "accepted" };
  } catch (error) {
    log().error({ err: error }, "a password reset could not be requested");
    return { kind: "failed" };
  }
}

/**
 * Opens a password reset that replaces any other, and returns its link's token. For users who have proved their
 * ownership in another way and get no mail.
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

/** The outcome of creating a password reset link, which only the address's owner may get. */
export type ResetLinkOutcome =
  | { kind: "created"; url: string; email: string }
  | { kind: "no-account" }
  /** The last link is too recent, or there have been too many. It still works. */
  | { kind: "limited" };

/** Why an operator or an author gets no link, if it is limited. */
export const LINK_LIMITED =
  "No link was made, because the last one is less than a minute old or there were six within an hour. The last one still works.";

/**
 * Creates a link to choose a new password, for the user with this address. It works once, for an hour, replaces any
 * older link and shares the limits of mailed links. The operator can read it out to a member who gets no mail. Throws
 * PostgreSQL's errors.
 */
export async function createResetLink(
  email: string,
  by: "mail" | "operator",
  executor: Executor = db(),
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

/**
 * Composes the mail with a new link, which replaces any older one; null without an account or beyond the mail limit.
 */
export const composePasswordReset: MailComposer = async (email, tx, leadsTo) => {
  const link = await createResetLink(email, "mail", tx);
  if (link.kind !== "created") return null;
  const url = leadingTo(link.url, leadsTo);
  return { to: link.email, message: await renderMail(passwordResetMail({ url })) };
};
