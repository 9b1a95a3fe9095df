import { env } from "~/env.server";
import { enqueueMail, isMailQueueFull } from "~/features/mail/enqueue-mail.server";
import { renderMail } from "~/features/mail/render-mail";
import { emailConfirmationMail } from "~/features/mail/templates/account-mails";
import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { idInToken, isIdSigned, signId } from "~/http/signed-id.server";
import { log } from "~/observability/log.server";
import { logSecurityEvent } from "~/observability/security-log.server";
import { db } from "~db/client";
import { deleteOtherSessions } from "~db/queries/sessions";
import { claimEmailConfirmation, confirmEmail, findUserById } from "~db/queries/users";
import { confirmEmailPath, FORGOT_PASSWORD_PATH } from "./auth-paths";
import { leadingTo } from "./destination";

/** Minimum time between two confirmation mails to one account, in milliseconds. */
const RESEND_AFTER_MS = 60 * 1000;

/** Distinguishes these tokens from others that sign an id. */
const PURPOSE = "account email confirmation";

/**
 * Returns the token that confirms an account's address. It is derived, so nothing is stored, and it becomes invalid
 * when the address changes.
 */
export function emailConfirmationToken({ id, email }: { id: string; email: string }): string {
  return signId(PURPOSE, id, email);
}

/** Returns the URL that confirms an account's address, and then leads to a destination, if there is one. */
export function emailConfirmationUrl(
  user: { id: string; email: string },
  leadsTo: string | null = null,
): string {
  return leadingTo(env().PUBLIC_URL + confirmEmailPath(emailConfirmationToken(user)), leadsTo);
}

/** Returns the user whose address a token confirms; null for any other token. Throws PostgreSQL's errors. */
export async function readEmailConfirmation(
  token: unknown,
): Promise<{ id: string; email: string } | null> {
  const id = idInToken(token);
  const user = id && (await findUserById(id));
  if (!user || !isIdSigned(PURPOSE, token, user.email)) return null;
  return { id: user.id, email: user.email };
}

export type ConfirmEmailOutcome =
  /**
   * `isSignedOut`: every session has ended, because the link was opened in a browser not signed in to the account.
   * `newlyConfirmed` is the account's id; null if its address was confirmed before.
   */
  | { kind: "confirmed"; isSignedOut: boolean; newlyConfirmed: string | null }
  | { kind: "invalid-link" }
  | { kind: "failed" };

/**
 * Confirms an account's address. If the browser is not signed in to the account, somebody else may have created it
 * with this address, so every session ends. Idempotent; never throws.
 */
export async function confirmEmailByLink(
  token: unknown,
  signedInAs: string | null,
): Promise<ConfirmEmailOutcome> {
  try {
    const user = await readEmailConfirmation(token);
    if (!user) return { kind: "invalid-link" };
    const { id: userId, email } = user;
    const isOwnBrowser = signedInAs === userId;
    const isFirst = await db().transaction(async (tx) => {
      if (!(await confirmEmail({ userId, email }, new Date(), tx))) return false;
      if (!isOwnBrowser) await deleteOtherSessions(userId, null, tx);
      return true;
    });
    if (isFirst) logSecurityEvent("email-confirmed", { userId }, "address confirmed");
    return {
      kind: "confirmed",
      isSignedOut: isFirst && !isOwnBrowser,
      newlyConfirmed: isFirst ? userId : null,
    };
  } catch (error) {
    log().error({ err: error }, "an address could not be confirmed");
    return { kind: "failed" };
  }
}

export type ResendOutcome = {
  /** "sent" also if a mail was sent within the last minute, or the address is already confirmed. */
  kind: "sent" | "busy" | "failed";
};

/** Mails an account's owner the confirmation link again. Never throws. */
export async function resendEmailConfirmation(userId: string): Promise<ResendOutcome> {
  try {
    if (await isMailQueueFull()) return { kind: "busy" };
    const isQueued = await db().transaction(async (tx) => {
      const now = Date.now();
      const user = await claimEmailConfirmation(
        userId,
        { now: new Date(now), notSince: new Date(now - RESEND_AFTER_MS) },
        tx,
      );
      if (!user) return false;
      const message = await renderMail(
        emailConfirmationMail({
          url: emailConfirmationUrl(user),
          forgotPasswordUrl: env().PUBLIC_URL + FORGOT_PASSWORD_PATH,
        }),
      );
      await enqueueMail({ kind: "email-confirmation", to: user.email, message }, tx);
      return true;
    });
    if (isQueued) wakeMailWorker();
    return { kind: "sent" };
  } catch (error) {
    log().error({ err: error, userId }, "a confirmation mail could not be queued");
    return { kind: "failed" };
  }
}
