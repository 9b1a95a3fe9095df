/** A mail to one recipient, as plain text and HTML. */
export type MailMessage = {
  /** A bare address, as validated by `emailSchema`. */
  to: string;
  subject: string;
  text: string;
  html: string;
  headers?: Record<string, string>;
};

/** Where a mail went: to the mail server, or into a file that is not delivered. */
export type MailDestination = "smtp" | "outbox";
