/** A mail to one recipient, as plain text and HTML. */
export type MailMessage = {
  /** A bare address, as validated by `emailSchema`. */
  to: string;
  subject: string;
  text: string;
  html: string;
  headers?: Record<string, string>;
};
