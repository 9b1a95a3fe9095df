import { composeMail } from "../compose-mail";
import type { Mail } from "../render-mail";

/** The mail with the password reset link. */
export function passwordResetMail({ url }: { url: string }): Mail {
  return composeMail({
    subject: "Choose a new password",
    preview: "The link works once, and for one hour.",
    heading: "The way back in",
    text: [
      "Everyone loses a key now and then. You asked for a new one, so here it is: choose a new password, and the path is open again.",
    ],
    button: { label: "Choose a new password", href: url, isWrittenOut: true },
    notes: [
      "The link works once, and for one hour.",
      "If you did not ask for it, you need not do anything: your password stays as it is.",
    ],
  });
}
