import { composeMail } from "../compose-mail";
import type { MailingList } from "../mail-layout";
import type { Mail } from "../render-mail";

/** Asks an address's owner to confirm the newsletter subscription at `url` (double opt-in). */
export function newsletterConfirmationMail({ url }: { url: string }): Mail {
  return composeMail({
    subject: "One step left: confirm your email",
    preview: "Confirm it to get the next letter.",
    heading: "One step left",
    text: [
      "Someone, probably you, asked to get our newsletter at this address.",
      "Confirm it, and you’ll get the next letter.",
    ],
    button: { label: "Confirm my email", href: url, isWrittenOut: true },
    notes: ["If it wasn’t you, ignore this email. You won’t get any more."],
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
    preview: "You’ll get the next letter at this address.",
    heading: "You’re on the list",
    text: [
      "Thank you for subscribing to our newsletter.",
      "Until the next letter comes, you can read the book’s opening pages.",
    ],
    button: { label: "Read the opening pages", href: previewUrl },
    notes: [
      "You’re getting this because someone, probably you, subscribed with this address. You can unsubscribe anytime.",
    ],
    list,
  });
}
