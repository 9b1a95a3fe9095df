import { randomUUID } from "node:crypto";
import nodemailer, { type NodemailerError } from "nodemailer";
import { env } from "~/env.server";
import { composeMessage, messageIdOf } from "./compose-message.server";
import type { TransportedMail } from "./mail-transport";
import { writeMailToOutbox } from "./outbox-transport.server";
import { type Mail, renderMail } from "./render-mail";
import { describeSmtpFailure } from "./smtp-failure";
import { smtpSettings } from "./smtp-transport.server";
import { testMail } from "./templates/operator-mails";

/** Timeouts for connecting and for each reply, in milliseconds. Short, because somebody waits at a terminal. */
const TIMEOUTS = { connectMs: 10_000, answerMs: 60_000 };

/** The result of a test mail. `answer` is the mail server's own text, which may quote the address. */
export type TestMailOutcome =
  | { kind: "accepted"; host: string; answer: string }
  | { kind: "not-accepted"; host: string; answer: string; advice: string | null }
  | { kind: "written"; file: string };

/**
 * Sends one mail at once, from MAIL_FROM and signed like every mail. It bypasses the queue and its limits, reaches
 * suppressed addresses, and needs no database. Without SMTP_URL, writes it to the outbox and throws the file system's
 * errors.
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
    const { response, command, message } = error as NodemailerError;
    // without a connection pool of its own, it is unknown whether a message was begun
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
