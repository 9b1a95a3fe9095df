import nodemailer from "nodemailer";
import { env } from "~/env.server";
import { composeMessage, SELF_CONTAINED } from "./compose-message.server";
import type { MailTransport, TransportedMail } from "./mail-transport";
import { describeConnectionFailure, describeSmtpFailure } from "./smtp-failure";

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * How long to wait for a reply. RFC 5321 (4.5.3.2.6) allows ten minutes after the end of a message. Hanging up sooner
 * would deliver a slow server's mail twice.
 */
const ANSWER_TIMEOUT_MS = 10 * 60_000;

/** nodemailer's default list plus List-Unsubscribe-Post (RFC 8058, 4) and Feedback-ID, which count only if signed. */
const SIGNED_HEADERS = [
  "From:Sender:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type",
  "Content-Transfer-Encoding:In-Reply-To:References:List-Id:List-Help:List-Unsubscribe",
  "List-Unsubscribe-Post:List-Subscribe:List-Post:List-Owner:List-Archive:Auto-Submitted:Feedback-ID",
].join(":");

type Timeouts = { connectMs: number; answerMs: number };

/**
 * Delivers through the mail server at `SMTP_URL` over at most `MAIL_CONNECTIONS` connections, signed if DKIM is set
 * up. Options in the URL, as in `smtp://host?socketTimeout=60000`, override the timeouts.
 */
export function openSmtpTransport(
  url: string,
  { connectMs, answerMs }: Timeouts = {
    connectMs: CONNECT_TIMEOUT_MS,
    answerMs: ANSWER_TIMEOUT_MS,
  },
): MailTransport {
  const { MAIL_CONNECTIONS } = env();
  const pool = nodemailer.createTransport({
    ...smtpSettings(url, { connectMs, answerMs }),
    pool: true,
    maxConnections: MAIL_CONNECTIONS,
    // only mail that has not been sent at all is moved to another connection
    maxRequeues: 1,
    // closes idle connections, because the next mail might use a dead one
    idleTimeout: 60_000,
  });
  /** The stream each mail is being sent from, by Message-ID. */
  const streams = new Map<string, NodeJS.ReadableStream & { readableEnded: boolean }>();
  pool.use("stream", (mail, done) => {
    const { message, data } = mail;
    const create = message.createReadStream.bind(message);
    message.createReadStream = (...options) => {
      const stream = create(...options);
      streams.set(String(data.messageId), stream);
      return stream;
    };
    done();
  });

  return {
    deliver: async (mail) => {
      const key = mail.messageId;
      const wasSentWhole = () => streams.get(key)?.readableEnded === true;
      const attempt = limitAttempt(mail, answerMs, wasSentWhole);
      try {
        await pool.sendMail({ ...composeMessage(mail), signal: attempt.signal });
        return { kind: "accepted" };
      } catch (error) {
        return describeSmtpFailure(error, {
          wasBegun: streams.has(key),
          wasSentWhole: wasSentWhole(),
        });
      } finally {
        attempt.finish();
        streams.delete(key);
      }
    },
    verify: () => verifyLogin(url, connectMs),
    close: () => pool.close({ force: true }),
  };
}

/** Logs in to the mail server without sending anything. */
export async function verifyLogin(
  url: string,
  connectMs: number,
): ReturnType<NonNullable<MailTransport["verify"]>> {
  const transport = nodemailer.createTransport(
    smtpSettings(url, { connectMs, answerMs: connectMs }),
  );
  try {
    await transport.verify();
    return { kind: "accepted" };
  } catch (error) {
    return describeConnectionFailure(error);
  } finally {
    transport.close();
  }
}

/** nodemailer's settings for the mail server, including the DKIM key. */
export function smtpSettings(url: string, { connectMs, answerMs }: Timeouts) {
  const { DKIM } = env();
  return {
    url,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    dnsTimeout: connectMs,
    socketTimeout: answerMs,
    ...(DKIM && {
      dkim: {
        domainName: DKIM.domain,
        keySelector: DKIM.selector,
        privateKey: DKIM.privateKey,
        headerFieldNames: SIGNED_HEADERS,
      },
    }),
    ...SELF_CONTAINED,
  };
}

/** Aborts an attempt that takes too long, but not while the server may be about to accept the mail. */
function limitAttempt(
  { abandonAfterMs }: TransportedMail,
  answerMs: number,
  wasSentWhole: () => boolean,
): { signal: AbortSignal; finish: () => void } {
  const controller = new AbortController();
  const abort = () => controller.abort();
  let timer = setTimeout(() => {
    if (!wasSentWhole()) return abort();
    // a server that trickles its reply never hits the socket timeout
    timer = setTimeout(abort, answerMs);
  }, abandonAfterMs);
  return { signal: controller.signal, finish: () => clearTimeout(timer) };
}
