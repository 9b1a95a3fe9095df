import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import pTimeout from "p-timeout";
import { log } from "~/observability/log.server";
import { writeCountedSignals } from "~/observability/operator-signals.server";
import { insertProgramStart, recordProgramStop } from "~db/queries/program-starts";
import { programPlace } from "./local-readings.server";
import { sendLetterIfDue } from "./send-letter.server";
import { SiteCheck } from "./site-check.server";

/** Interval between two checks, in milliseconds. */
const INTERVAL_MS = 60_000;

/** How long a stop waits for a check in progress, in milliseconds. */
const STOP_MS = 5_000;

/**
 * Records that the program has started, checks the site at once and then every minute, and sends the monthly letter,
 * until the returned function is called. That one records an orderly stop; a start without one counts as a crash.
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
      // an outage is logged once, not every minute
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
      // its figures may take longer than the interval between two checks
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
