import { join } from "node:path";
import nodemailer from "nodemailer";
import { dataDirectory } from "~/data-directory.server";
import { env } from "~/env.server";
import { describeMailFailure, MailFailure } from "./mail-failure.server";
import type { MailDestination, MailMessage } from "./mail-message";
import { writeToOutbox } from "./outbox.server";

/** Longest wait for any one step of talking to the mail server, and for a whole mail, in milliseconds. */
const STEP_TIMEOUT_MS = 10_000;
const MAIL_TIMEOUT_MS = 30_000;

/** Connections to the mail server at once; the queue sends no more mails than that at a time. */
export const MAIL_CONNECTIONS = 3;

/** A message's content never names files or addresses to be read in. */
const SELF_CONTAINED = { disableFileAccess: true, disableUrlAccess: true } as const;

type SmtpPool = ReturnType<typeof createSmtpPool>;

let pool: { url: string; transport: SmtpPool } | undefined;

/**
 * Sends one mail: by `SMTP_URL`, or without it as an `.eml` file in `DATA_DIR/outbox`. Resolves with which
 * when the mail server has taken it or the file is there. Throws a MailFailure, which never holds the
 * address.
 */
export async function sendMail(mail: MailMessage): Promise<MailDestination> {
  const { to, subject, text, html, headers } = mail;
  const { SMTP_URL, MAIL_FROM } = env();
  const message = {
    subject,
    text: readableAsItIs(text),
    html,
    from: MAIL_FROM,
    // as an object it stays one address, whatever is in it
    to: { name: "", address: to },
    // tells out-of-office programs not to answer (RFC 3834)
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

/** Ends the connections to the mail server; a mail that is being sent at that moment fails. */
export function closeMailConnections(): void {
  pool?.transport.close({ force: true });
  pool = undefined;
}

/**
 * nodemailer would break every line of more than 76 characters by quoted-printable, and with it the
 * links, for whoever reads an outbox file or a mail's source. SMTP carries up to 998 as they are.
 */
function readableAsItIs(text: string): string | { raw: string } {
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

/** What the address itself says, as in `smtp://host?socketTimeout=60000`, counts over these settings. */
function createSmtpPool(url: string) {
  return nodemailer.createTransport({
    url,
    pool: true,
    maxConnections: MAIL_CONNECTIONS,
    maxRequeues: 1,
    // an idle connection would be found dead by the next mail
    idleTimeout: 60_000,
    connectionTimeout: STEP_TIMEOUT_MS,
    greetingTimeout: STEP_TIMEOUT_MS,
    socketTimeout: STEP_TIMEOUT_MS,
    dnsTimeout: STEP_TIMEOUT_MS,
    ...SELF_CONTAINED,
  });
}
