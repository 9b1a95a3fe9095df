import type { MailMessage } from "./mail-message";
import { MailQueue } from "./mail-queue.server";
import { closeMailConnections, MAIL_CONNECTIONS, sendMail } from "./send-mail.server";

const SECOND = 1000;

let queue = openQueue();

function openQueue(): MailQueue {
  return new MailQueue({
    send: sendMail,
    concurrency: MAIL_CONNECTIONS,
    capacity: 1_000,
    // Covers a restart of the mail server; after a longer time the visitor has retried anyway.
    retryDelays: [5 * SECOND, 30 * SECOND, 180 * SECOND],
  });
}

/**
 * Composes and sends a mail after the caller has responded, so that the visitor never waits for the mail server
 * and cannot infer from the timing whether a mail was sent. `compose` runs in the background; if it returns
 * null, nothing is sent. False, with a log line, if the queue is full.
 */
export function sendMailInBackground(
  purpose: string,
  compose: () => Promise<MailMessage | null>,
): boolean {
  return queue.add({ purpose, compose });
}

/** Resolves when every mail queued so far has been sent or dropped. */
export function backgroundMailIdle(): Promise<void> {
  return queue.idle();
}

/**
 * Stops background mail and closes its connections, waiting at most `timeoutMs` for queued mail. Called on
 * shutdown, after the web server and before the database. Mail sent later opens a new queue.
 */
export async function closeMail(timeoutMs: number): Promise<void> {
  const closing = queue;
  await closing.close(timeoutMs);
  closeMailConnections();
  queue = openQueue();
}
