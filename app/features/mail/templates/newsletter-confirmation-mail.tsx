import { composeMail } from "../compose-mail";
import type { Mail } from "../render-mail";

/** Asks the owner of an address to confirm the newsletter subscription (double opt-in); `url` is where to. */
export function newsletterConfirmationMail({ url }: { url: string }): Mail {
  return composeMail({
    subject: "One step left: confirm your email",
    preview: "Confirm it, and the next letter will find you.",
    heading: "One step left",
    text: [
      "Someone, most likely you, asked for our letter at this address: once a month a practice, a story, and a question worth taking for a walk.",
      "Confirm it, and the next one will find you.",
    ],
    button: { label: "Confirm my email", href: url, isWrittenOut: true },
    notes: ["If it was not you, leave this letter be: nothing more will come."],
  });
}
