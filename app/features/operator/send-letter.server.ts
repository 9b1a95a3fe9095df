import { env } from "~/env.server";
import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { monthAfter, utcMonth } from "~/features/statistics/utc-day";
import { log } from "~/observability/log.server";
import { getDatabase } from "~db/client";
import { findMailByIdempotencyKey } from "~db/queries/mails";
import { composeLetter } from "./compose-letter.server";
import { mailOperator } from "./report-matters.server";

/** The hour of the first day, in UTC, from which the letter is written: the last day's visitors are counted by then. */
const FROM_HOUR = 6;

/** The month whose letter this process knows to be dealt with. */
let done: string | null = null;

/**
 * Queues the letter about the last month once, from six o'clock (UTC) on its successor's first day, or as soon after
 * that as the site runs: any number of processes and restarts queue it once, since its key is remembered with the mail.
 * Nothing is queued without OPERATOR_EMAIL, or about a month before the site's first day. Returns whether it was.
 */
export async function sendLetterIfDue(now = new Date()): Promise<boolean> {
  const month = letterMonth(now);
  if (!env().OPERATOR_EMAIL || done === month) return false;
  const key = letterKey(month);
  if (await findMailByIdempotencyKey(key)) {
    done = month;
    return false;
  }
  const letter = await composeLetter(month, now);
  const isQueued =
    letter !== null && (await getDatabase().db.transaction((tx) => mailOperator(letter, key, tx)));
  done = month;
  if (!isQueued) return false;
  wakeMailWorker();
  log().info({ month }, "the monthly letter to the operator was queued");
  return true;
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
}
