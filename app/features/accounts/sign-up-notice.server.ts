import { env } from "~/env.server";
import { sendMailInBackground } from "~/features/mail/background-mail.server";
import { signUpAttemptMail } from "~/features/mail/sign-up-attempt-mail";
import { claimSignUpNotice } from "~db/queries/users";
import { FORGOT_PASSWORD_PATH } from "./password-reset-paths";

/** How long the owner of an address is left alone after one such mail, in milliseconds. */
const QUIET_TIME = 24 * 60 * 60 * 1000;

/**
 * Tells the owner of an account by mail, in the background and at most once a day, that somebody tried to
 * sign up with the address: it may have been themselves, who forgot.
 */
export function notifySignUpAttempt(email: string): void {
  sendMailInBackground("sign-up attempt", async () => {
    const now = Date.now();
    const to = await claimSignUpNotice(email, {
      now: new Date(now),
      notSince: new Date(now - QUIET_TIME),
    });
    return to === null
      ? null
      : signUpAttemptMail({ to, url: env().PUBLIC_URL + FORGOT_PASSWORD_PATH });
  });
}
