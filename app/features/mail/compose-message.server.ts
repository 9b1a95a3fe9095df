import { env } from "~/env.server";
import { addressOf } from "~/environment/schema.server";
import { currentSite } from "~/features/site/current-site.server";
import type { TransportedMail } from "./mail-transport";

/** Keeps nodemailer from reading files or URLs named in a message's content. */
export const SELF_CONTAINED = { disableFileAccess: true, disableUrlAccess: true } as const;

/**
 * Converts a mail to nodemailer's format: from `MAIL_FROM`, with answers to `MAIL_REPLY_TO` and bounces to
 * `MAIL_BOUNCE_ADDRESS`.
 */
export function composeMessage({ messageId, to, date, content }: TransportedMail) {
  const { MAIL_FROM, MAIL_REPLY_TO, MAIL_BOUNCE_ADDRESS } = env();
  // an object is never parsed into several addresses
  const recipient = { name: "", address: to };
  const envelope = { from: MAIL_BOUNCE_ADDRESS ?? addressOf(MAIL_FROM) ?? "", to: [recipient] };
  const { subject, text, html, headers } = content;
  return {
    envelope,
    messageId,
    date,
    subject,
    text: unencoded(text),
    html,
    // an address without a name gets the book's
    from: MAIL_FROM.includes("<") ? MAIL_FROM : { name: currentSite().title, address: MAIL_FROM },
    replyTo: MAIL_REPLY_TO,
    to: recipient,
    // suppresses automatic replies (RFC 3834)
    headers: { "Auto-Submitted": "auto-generated", ...headers },
  };
}

/** Returns the Message-ID of a queued mail, the same for every attempt. */
export function messageIdOf(mailId: string): string {
  const domain = addressOf(env().MAIL_FROM)?.split("@")[1] ?? "localhost";
  return `<${mailId}@${domain}>`;
}

/**
 * Keeps nodemailer from breaking lines over 76 characters with quoted-printable, which would break links in an outbox
 * file or a mail's source. SMTP allows lines of up to 998 characters.
 */
function unencoded(text: string): string | { raw: string } {
  if (!/^(?:[\x20-\x7e]{0,998}\n)*$/.test(text)) return text;
  const headers = ["Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 7bit"];
  return { raw: [...headers, "", ...text.split("\n")].join("\r\n") };
}
