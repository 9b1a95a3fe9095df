import { env } from "~/env.server";
import { sendMailInBackground } from "~/features/mail/background-mail.server";
import type { MailMessage } from "~/features/mail/mail-message";
import { passwordResetMail } from "~/features/mail/password-reset-mail";
import { logSecurityEvent } from "~/observability/security-log.server";
import { replacePasswordReset } from "~db/queries/password-resets";
import { findUserByEmail } from "~db/queries/users";
import { passwordResetPath } from "./password-reset-paths";
import { createPasswordResetToken } from "./password-reset-token.server";

/** How long a link works, and how soon a user is mailed another one, in milliseconds. */
const LINK_LIFE = 60 * 60 * 1000;
const ASK_AGAIN_AFTER = 60 * 1000;

/**
 * Links mailed to one user in an hour, whoever asks for them and from wherever. Who asks beyond it is
 * answered as ever, and the link mailed last still works: nobody can lock an owner out by asking.
 */
const MAX_MAILS = 6;
const MAIL_COUNT_LIFE = 60 * 60 * 1000;

/**
 * Mails a link for a new password to whoever has this address; "busy" when no more mail is taken now. The
 * outcome is the same, and takes the same time, whether or not somebody has it: even looking it up is left
 * to the background.
 */
export function requestPasswordReset(email: string): { kind: "accepted" | "busy" } {
  const taken = sendMailInBackground("password reset", () => prepareMail(email));
  return { kind: taken ? "accepted" : "busy" };
}

/** The mail with a fresh link, which replaces any older one; null for nobody and for who was just mailed. */
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
      expiresAt: new Date(now + LINK_LIFE),
    },
    {
      askAgainAfter: new Date(now - ASK_AGAIN_AFTER),
      countSince: new Date(now - MAIL_COUNT_LIFE),
      most: MAX_MAILS,
    },
  );
  if (!replaced) return null;
  logSecurityEvent("password-reset-requested", { userId: user.id }, "password reset requested");
  return passwordResetMail({ to: user.email, url: env().PUBLIC_URL + passwordResetPath(token) });
}
