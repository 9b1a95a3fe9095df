import { randomUUID } from "node:crypto";
import nodemailer from "nodemailer";
import { env } from "~/env.server";
import { composeMessage, messageIdOf } from "./compose-message.server";
import type { TransportedMail } from "./mail-transport";
import { writeMailToOutbox } from "./outbox-transport.server";
import { type Mail, renderMail } from "./render-mail";
import { describeSmtpFailure } from "./smtp-failure";
import { smtpSettings } from "./smtp-transport.server";
import { testMail } from "./templates/operator-mails";

/** How long somebody at a terminal waits for a connection and for each answer, in milliseconds. */
const TIMEOUTS = { connectMs: 10_000, answerMs: 60_000 };

/** What became of a test mail; `answer` is the mail server's own words, which may quote the address. */
export type TestMailOutcome =
  | { kind: "accepted"; host: string; answer: string }
  | { kind: "not-accepted"; host: string; answer: string; advice: string | null }
  | { kind: "written"; file: string };

/**
 * Sends one mail to the address at once, past the queue and its limits, as MAIL_FROM and signed as every mail is:
 * also to a suppressed address, and while the database is down. Without SMTP_URL it is written into the outbox,
 * whose file system's errors it throws.
 */
export async function sendTestMail(
  to: string,
  content: Mail = testMail({ siteUrl: env().PUBLIC_URL }),
): Promise<TestMailOutcome> {
  const { SMTP_URL } = env();
  const mail: TransportedMail = {
    messageId: messageIdOf(randomUUID()),
    to,
    date: new Date(),
    content: await renderMail(content),
    abandonAfterMs: TIMEOUTS.answerMs,
  };
  if (!SMTP_URL) return { kind: "written", file: await writeMailToOutbox(mail) };

  const host = new URL(SMTP_URL).host;
  const transport = nodemailer.createTransport(smtpSettings(SMTP_URL, TIMEOUTS));
  try {
    const { response } = await transport.sendMail(composeMessage(mail));
    return { kind: "accepted", host, answer: response };
  } catch (error) {
    const { response, command, message } = error as Error & { response?: string; command?: string };
    // without a connection of its own pool it cannot be seen whether a message was begun
    const failure = describeSmtpFailure(error, {
      wasBegun: /^(MAIL FROM|RCPT TO|DATA)$/.test(command ?? ""),
      wasSentWhole: false,
    });
    const advice = failure.kind === "not-sent" ? failure.advice : null;
    return { kind: "not-accepted", host, answer: response ?? message, advice };
  } finally {
    transport.close();
  }
}
