import { env } from "~/env.server";
import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { monthAfter, utcMonth } from "~/features/statistics/utc-day";
import { log } from "~/observability/log.server";
import { getDatabase } from "~db/client";
import { withInstanceLock } from "~db/queries/instance-lock";
import { findMailByIdempotencyKey } from "~db/queries/mails";
import { composeLetter } from "./compose-letter.server";
import { mailOperator } from "./report-matters.server";

/** The hour of the first day, in UTC, from which the letter is written: the last day's visitors are counted by then. */
const FROM_HOUR = 6;

/** How long to wait before a failed letter is retried, in milliseconds: its figures are expensive to query. */
const RETRY_MS = 60 * 60 * 1000;

/** The last month whose letter was queued or skipped, as far as this process knows. */
let done: string | null = null;

/** Before when this process tries no letter again, in milliseconds since 1970. */
let retryAt = 0;

/**
 * Queues the letter about the last month once, from six o'clock (UTC) on its successor's first day, or as soon after
 * that as the site runs: any number of processes and restarts queue it once, since its key is remembered with the mail,
 * and one at a time counts its figures. Nothing is queued without OPERATOR_EMAIL, or about a month before the site's first
 * day. Returns whether it was. After a failure, with which it rejects, it does nothing for an hour.
 */
export async function sendLetterIfDue(now = new Date()): Promise<boolean> {
  const month = letterMonth(now);
  if (!env().OPERATOR_EMAIL || done === month || now.getTime() < retryAt) return false;
  try {
    const isQueued = await withInstanceLock("operator letter", () => queueLetter(month, now));
    if (isQueued === null) return false;
    done = month;
    if (!isQueued) return false;
  } catch (error) {
    retryAt = now.getTime() + RETRY_MS;
    throw error;
  }
  wakeMailWorker();
  log().info({ month }, "the monthly letter to the operator was queued");
  return true;
}

async function queueLetter(month: string, now: Date): Promise<boolean> {
  const key = letterKey(month);
  if (await findMailByIdempotencyKey(key)) return false;
  const letter = await composeLetter(month, now);
  if (letter === null) return false;
  return getDatabase().db.transaction((tx) => mailOperator(letter, key, tx));
}

/** The last month whose letter is due. */
export function letterMonth(now: Date): string {
  const dayBegan = new Date(now.getTime() - FROM_HOUR * 60 * 60 * 1000);
  return monthAfter(utcMonth(dayBegan), -1);
}

const letterKey = (month: string) => `operator-letter:${month}`;

/** Forgets what this process knows, as a restart does. For tests. */
export function forgetLetters(): void {
  done = null;
  retryAt = 0;
}
