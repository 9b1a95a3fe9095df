import type { MailMessage } from "./mail-message";
import { renderMail } from "./mail-template";

/** The mail with the password reset link. */
export function passwordResetMail({ to, url }: { to: string; url: string }): MailMessage {
  return {
    to,
    subject: "Choose a new password",
    ...renderMail({
      heading: "The way back in",
      paragraphs: [
        "Everyone loses a key now and then. You asked for a new one, so here it is: choose a new password, and the path is open again.",
      ],
      action: { label: "Choose a new password", url },
      notes: [
        "The link works once, and for one hour.",
        "If you did not ask for it, you need not do anything: your password stays as it is.",
      ],
    }),
  };
}
