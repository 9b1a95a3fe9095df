import { composeMail } from "../compose-mail";
import type { Mail } from "../render-mail";

/** Notifies the owner of an account of an attempt to sign up with their address; `url` is where to reset the password. */
export function signUpAttemptMail({ url }: { url: string }): Mail {
  return composeMail({
    subject: "You already have an account",
    preview: "Somebody tried to sign up with your address. Nothing was changed.",
    heading: "You already have an account",
    text: [
      "Somebody has just tried to sign up with your email address. There is an account with it already, so nothing was changed and nobody was let in.",
      "If that was you, log in with your password, or choose a new one if you do not remember it. If it was not, there is nothing you need to do.",
    ],
    button: { label: "Choose a new password", href: url },
    notes: ["You get this letter at most once a day."],
  });
}
