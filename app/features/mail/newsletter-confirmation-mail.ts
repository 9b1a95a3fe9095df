import type { MailMessage } from "./mail-message";
import { renderMail } from "./mail-template";

type Confirmation = {
  to: string;
  /** Where the owner of the address confirms it. */
  url: string;
  /** Headers that let a mail program unsubscribe. */
  headers: Record<string, string>;
};

/** Asks the owner of an address to confirm the newsletter subscription (double opt-in). */
export function newsletterConfirmationMail({ to, url, headers }: Confirmation): MailMessage {
  return {
    to,
    subject: "One step left: confirm your email",
    headers,
    ...renderMail({
      heading: "One step left",
      paragraphs: [
        "Someone, most likely you, asked for our letter at this address: once a month a practice, a story, and a question worth taking for a walk.",
        "Confirm it, and the next one will find you.",
      ],
      action: { label: "Confirm my email", url },
      notes: ["If it was not you, leave this letter be: nothing more will come."],
    }),
  };
}
