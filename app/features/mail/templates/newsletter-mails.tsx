import { composeMail } from "../compose-mail";
import type { MailingList } from "../mail-layout";
import type { Mail } from "../render-mail";

/** Asks an address's owner to confirm the newsletter subscription at `url` (double opt-in). */
export function newsletterConfirmationMail({ url }: { url: string }): Mail {
  return composeMail({
    subject: "One step left: confirm your email",
    preview: "Confirm it, and the next letter will find you.",
    heading: "One step left",
    text: [
      "Someone, most likely you, asked for our letter at this address.",
      "Confirm it, and the next one will find you.",
    ],
    button: { label: "Confirm my email", href: url, isWrittenOut: true },
    notes: ["If it was not you, leave this letter be: nothing more will come."],
  });
}

type NewsletterWelcome = {
  /** The URL of the book's excerpt. */
  previewUrl: string;
  list: MailingList;
};

/** Welcomes a new newsletter subscriber. */
export function newsletterWelcomeMail({ previewUrl, list }: NewsletterWelcome): Mail {
  return composeMail({
    subject: "You’re on the list",
    preview: "The next letter will come to this address.",
    heading: "You’re on the list",
    text: [
      "Thank you for asking for our letter.",
      "Until the next one comes, the opening pages of the book are there to read.",
    ],
    button: { label: "Read the opening pages", href: previewUrl },
    notes: [
      "You get our letters because someone, most likely you, asked for them at this address. If it was not you, or you have read enough, you can leave the list at any time.",
    ],
    list,
  });
}
