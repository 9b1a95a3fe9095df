import { env } from "~/env.server";
import { sendMailInBackground } from "~/features/mail/background-mail.server";
import type { MailMessage } from "~/features/mail/mail-message";
import { passwordResetMail } from "~/features/mail/password-reset-mail";
import { logSecurityEvent } from "~/observability/security-log.server";
import { replacePasswordReset } from "~db/queries/password-resets";
import { findUserByEmail } from "~db/queries/users";
import { passwordResetPath } from "./password-reset-paths";
import { createPasswordResetToken } from "./password-reset-token.server";

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
 * Mails a password reset link to the user with this address; "busy" when the mail queue is full. Outcome and
 * timing do not depend on whether an account exists: even the look-up happens in the background.
 */
export function requestPasswordReset(email: string): { kind: "accepted" | "busy" } {
  const isQueued = sendMailInBackground("password reset", () => prepareMail(email));
  return { kind: isQueued ? "accepted" : "busy" };
}

/** The mail with a new link, which replaces any older one; null without an account or beyond the mail limit. */
async function prepareMail(email: string): Promise<MailMessage | null> {
  const user = await findUserByEmail(email);
  if (!user) return null;
  const { token, tokenHash } = createPasswordResetToken();
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
  );
  if (!replaced) return null;
  logSecurityEvent("password-reset-requested", { userId: user.id }, "password reset requested");
  return passwordResetMail({ to: user.email, url: env().PUBLIC_URL + passwordResetPath(token) });
}
