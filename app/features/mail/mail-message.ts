/** One mail to one person, in the two forms every mail of the site has. */
export type MailMessage = {
  /** A bare address, as `emailSchema` lets through. */
  to: string;
  subject: string;
  text: string;
  html: string;
  headers?: Record<string, string>;
};

/** Where a mail went: to the mail server, or into a file that reaches nobody by itself. */
export type MailDestination = "smtp" | "outbox";
