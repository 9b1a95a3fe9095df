import { join } from "node:path";
import nodemailer from "nodemailer";
import { dataDirectory } from "~/data-directory.server";
import { env } from "~/env.server";
import { describeMailFailure, MailFailure } from "./mail-failure.server";
import type { MailDestination, MailMessage } from "./mail-message";
import { writeToOutbox } from "./outbox.server";

/** Timeouts of one step of the SMTP conversation, and of a whole mail, in milliseconds. */
const STEP_TIMEOUT_MS = 10_000;
const MAIL_TIMEOUT_MS = 30_000;

/** Maximum connections to the mail server, which is also the queue's concurrency. */
export const MAIL_CONNECTIONS = 3;

/** Keeps nodemailer from reading files or URLs named in a message's content. */
const SELF_CONTAINED = { disableFileAccess: true, disableUrlAccess: true } as const;

type SmtpPool = ReturnType<typeof createSmtpPool>;

let pool: { url: string; transport: SmtpPool } | undefined;

/**
 * Sends one mail: by `SMTP_URL`, or without it as an `.eml` file in `DATA_DIR/outbox`. Resolves to which one
 * when the mail server has accepted it or the file is written. Throws a MailFailure, which never contains the
 * address.
 */
export async function sendMail(mail: MailMessage): Promise<MailDestination> {
  const { to, subject, text, html, headers } = mail;
  const { SMTP_URL, MAIL_FROM } = env();
  const message = {
    subject,
    text: unencoded(text),
    html,
    from: MAIL_FROM,
    // As an object it is never parsed into several addresses.
    to: { name: "", address: to },
    // Suppresses automatic replies (RFC 3834).
    headers: { "Auto-Submitted": "auto-generated", ...headers },
  };
  try {
    if (SMTP_URL) {
      await smtpPool(SMTP_URL).sendMail({
        ...message,
        signal: AbortSignal.timeout(MAIL_TIMEOUT_MS),
      });
      return "smtp";
    }
    const composer = nodemailer.createTransport({
      streamTransport: true,
      buffer: true,
      newline: "windows",
      ...SELF_CONTAINED,
    });
    const composed = await composer.sendMail(message);
    await writeToOutbox(join(dataDirectory(), "outbox"), composed.message as Buffer);
    return "outbox";
  } catch (error) {
    throw new MailFailure(describeMailFailure(error, SMTP_URL ? "smtp" : "outbox"));
  }
}

/** Closes the connections to the mail server; a mail being sent at that moment fails. */
export function closeMailConnections(): void {
  pool?.transport.close({ force: true });
  pool = undefined;
}

/**
 * nodemailer would break every line of more than 76 characters by quoted-printable, and with it the links in
 * an outbox file or a mail's source. SMTP allows lines of up to 998 characters.
 */
function unencoded(text: string): string | { raw: string } {
  if (!/^(?:[\x20-\x7e]{0,998}\n)*$/.test(text)) return text;
  const headers = ["Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 7bit"];
  return { raw: [...headers, "", ...text.split("\n")].join("\r\n") };
}

function smtpPool(url: string): SmtpPool {
  if (pool?.url !== url) {
    closeMailConnections();
    pool = { url, transport: createSmtpPool(url) };
  }
  return pool.transport;
}

/** Options in the URL, as in `smtp://host?socketTimeout=60000`, override these settings. */
function createSmtpPool(url: string) {
  return nodemailer.createTransport({
    url,
    pool: true,
    maxConnections: MAIL_CONNECTIONS,
    maxRequeues: 1,
    // Closed when idle, so that the next mail does not use a dead connection.
    idleTimeout: 60_000,
    connectionTimeout: STEP_TIMEOUT_MS,
    greetingTimeout: STEP_TIMEOUT_MS,
    socketTimeout: STEP_TIMEOUT_MS,
    dnsTimeout: STEP_TIMEOUT_MS,
    ...SELF_CONTAINED,
  });
}
