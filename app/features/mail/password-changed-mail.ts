import type { MailMessage } from "./mail-message";
import { renderMail } from "./mail-template";

/** Notifies the owner of an account that its password was changed; `url` is where to reset it. */
export function passwordChangedMail({ to, url }: { to: string; url: string }): MailMessage {
  return {
    to,
    subject: "Your password was changed",
    ...renderMail({
      heading: "Your password was changed",
      paragraphs: [
        "A new password was chosen for your account just now, and every device that was signed in has been signed out.",
        "If that was you, all is well and there is nothing left to do. If it was not, take your account back now: choose a new password.",
      ],
      action: { label: "This was not me", url },
      notes: ["You get this letter each time your password changes."],
    }),
  };
}
