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
    // a restart of the mail server is sat out; a visitor has long asked again after more than that
    retryDelays: [5 * SECOND, 30 * SECOND, 180 * SECOND],
  });
}

/**
 * Makes and sends a mail after the caller has answered its visitor, who never waits for the mail server
 * and never learns from the time taken whether there was a mail at all. `compose` runs in the background;
 * null from it sends nothing. False, with a log line, if too many wait already.
 */
export function sendMailInBackground(
  purpose: string,
  compose: () => Promise<MailMessage | null>,
): boolean {
  return queue.add({ purpose, compose });
}

/** Resolves when every mail taken so far was sent or given up. */
export function backgroundMailIdle(): Promise<void> {
  return queue.idle();
}

/**
 * Ends background mail and its connections, waiting at most `timeoutMs` for what is under
 * way: part of stopping the program, after the web server and before the database. Mail sent after it
 * starts over.
 */
export async function closeMail(timeoutMs: number): Promise<void> {
  const closing = queue;
  await closing.close(timeoutMs);
  closeMailConnections();
  queue = openQueue();
}
