import { composeMail } from "../compose-mail";
import type { Mail } from "../render-mail";

/** Tells the former address of an account that it was changed; `url` undoes that. */
export function emailChangedMail({ url }: { url: string }): Mail {
  return composeMail({
    subject: "Your email address was changed",
    preview: "If that was you, there is nothing left to do.",
    heading: "Your account has a new address",
    text: [
      "The email address of your account was changed just now. From here on you log in with the new one, and this is the last letter to the old one.",
      "If that was you, all is well. If it was not, take your account back: this address becomes yours again, everybody is signed out, passkeys added in the last week or since are removed, and you choose a new password.",
    ],
    button: { label: "This was not me", href: url, isWrittenOut: true },
    notes: ["The link works once, and for seven days."],
  });
}
