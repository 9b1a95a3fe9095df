import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import pTimeout from "p-timeout";
import { env } from "~/env.server";
import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { monthAfter, utcMonth } from "~/features/statistics/utc-day";
import { log } from "~/observability/log.server";
import { writeCountedSignals } from "~/observability/operator-signals.server";
import { db } from "~db/client";
import { withInstanceLock } from "~db/queries/instance-lock";
import { findMailByIdempotencyKey } from "~db/queries/mails";
import { insertProgramStart, recordProgramStop } from "~db/queries/program-starts";
import { composeLetter } from "./compose-letter.server";
import { programPlace } from "./local-readings.server";
import { mailOperator } from "./report-alerts.server";
import { SiteCheck } from "./site-check.server";

/** Interval between two checks, in milliseconds. */
const INTERVAL_MS = 60_000;

/** How long stopping waits for a check in progress, in milliseconds. */
const STOP_MS = 5_000;

/**
 * Records the start, checks the site at once and then every minute, and sends the monthly letter, until the returned
 * function is called. That function records an orderly stop; a start without one counts as a crash.
 */
export function startSiteWatch(intervalMs = INTERVAL_MS): (isOrderly: boolean) => Promise<void> {
  const startId = randomUUID();
  const check = new SiteCheck(startId);
  const stopping = new AbortController();
  const { signal } = stopping;
  let lastFailure: string | null = null;
  let isWriting = false;

  const logFailure = (err: unknown, text: string) => {
    if (!signal.aborted) log().error({ err }, text);
  };
  const look = async () => {
    try {
      await writeCountedSignals();
      await check.run();
      lastFailure = null;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      // log an outage once, not every minute
      if (message !== lastFailure) {
        logFailure(error, "the site's health could not be looked at; it is tried again");
      }
      lastFailure = message;
    }
  };
  const sendLetter = async () => {
    isWriting = true;
    try {
      await sendLetterIfDue();
    } catch (error) {
      logFailure(error, "the monthly letter could not be written; it is tried again in an hour");
    }
    isWriting = false;
  };
  const watch = async () => {
    try {
      await insertProgramStart({ id: startId, place: await programPlace() });
    } catch (error) {
      logFailure(error, "the start could not be recorded");
    }
    while (!signal.aborted) {
      await look();
      // the letter may take longer than the interval between two checks
      if (!signal.aborted && !isWriting) void sendLetter();
      await pause(intervalMs, undefined, { signal, ref: false }).catch(() => {});
    }
  };

  const running = watch();
  return async (isOrderly) => {
    stopping.abort();
    await pTimeout(running, { milliseconds: STOP_MS, message: false });
    await pTimeout(writeCountedSignals(), { milliseconds: STOP_MS, message: false });
    if (!isOrderly) return;
    await pTimeout(recordProgramStop(startId), { milliseconds: STOP_MS, message: false }).catch(
      (error: unknown) => log().warn({ err: error }, "the stop could not be recorded"),
    );
  };
}

/** Hour (UTC) of the first day at which the letter is due. By then the last day's visitors are counted. */
const FROM_HOUR = 6;

/** Wait before a failed letter is retried, in milliseconds. Its queries are expensive. */
const RETRY_MS = 60 * 60 * 1000;

/** The last month whose letter this process knows to be queued or skipped. */
let done: string | null = null;

/** This process retries no letter before this time, in milliseconds since 1970. */
let retryAt = 0;

/**
 * Queues the letter about the last month, from six o'clock (UTC) on the first day of the next. Any number of processes
 * queue it once, by its idempotency key, and only one at a time computes its figures. Returns false without
 * OPERATOR_EMAIL, for a month before the site's first day, or if nothing was queued. Rejects if it fails, and then
 * does nothing for an hour.
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
  return db().transaction((tx) => mailOperator(letter, key, tx));
}

/** Returns the last month whose letter is due. */
export function letterMonth(now: Date): string {
  const dayBegan = new Date(now.getTime() - FROM_HOUR * 60 * 60 * 1000);
  return monthAfter(utcMonth(dayBegan), -1);
}

const letterKey = (month: string) => `operator-letter:${month}`;

/** Clears what this process remembers, as a restart does. For tests. */
export function forgetLetters(): void {
  done = null;
  retryAt = 0;
}
