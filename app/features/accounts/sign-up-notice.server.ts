import { env } from "~/env.server";
import { sendMailInBackground } from "~/features/mail/background-mail.server";
import { signUpAttemptMail } from "~/features/mail/sign-up-attempt-mail";
import { claimSignUpNotice } from "~db/queries/users";
import { FORGOT_PASSWORD_PATH } from "./password-reset-paths";

/** Minimum time between two such mails to one address, in milliseconds. */
const NOTICE_INTERVAL_MS = 24 * 60 * 60 * 1000;

/**
 * Notifies the owner of an account by mail, in the background and at most once a day, that someone tried to sign
 * up with their address; it may have been the owner, who forgot about the account.
 */
export function notifySignUpAttempt(email: string): void {
  sendMailInBackground("sign-up attempt", async () => {
    const now = Date.now();
    const to = await claimSignUpNotice(email, {
      now: new Date(now),
      notSince: new Date(now - NOTICE_INTERVAL_MS),
    });
    return to === null
      ? null
      : signUpAttemptMail({ to, url: env().PUBLIC_URL + FORGOT_PASSWORD_PATH });
  });
}
