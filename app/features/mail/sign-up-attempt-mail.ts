import type { MailMessage } from "./mail-message";
import { renderMail } from "./mail-template";

/** Notifies the owner of an account of an attempt to sign up with their address; `url` is where to reset the password. */
export function signUpAttemptMail({ to, url }: { to: string; url: string }): MailMessage {
  return {
    to,
    subject: "You already have an account",
    ...renderMail({
      heading: "You already have an account",
      paragraphs: [
        "Somebody has just tried to sign up with your email address. There is an account with it already, so nothing was changed and nobody was let in.",
        "If that was you, log in with your password, or choose a new one if you do not remember it. If it was not, there is nothing you need to do.",
      ],
      action: { label: "Choose a new password", url },
      notes: ["You get this letter at most once a day."],
    }),
  };
}
