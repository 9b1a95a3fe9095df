import { type Executor, getDatabase, hasDatabase } from "~db/client";
import { addToSignal, resetSignals } from "~db/queries/operator-signals";
import { log } from "./log.server";

/** Least time between two writes of the same signal, in milliseconds, so that a flood of it costs the database nothing. */
const INTERVAL_MS = 60_000;

/** What is counted for `app/features/checks/`, which is in a layer above the code that counts it. */
export type Signal =
  | "webhook-accepted"
  /** Signed with another secret, or not by Stripe. */
  | "webhook-refused"
  /** Signed with the right secret, but with a livemode that does not match the key. */
  | "webhook-livemode-mismatch"
  /** A payment that was noticed without a webhook, which may still come. */
  | "payment-without-webhook";

/** The signals that an accepted webhook clears. */
const MENDED_BY_WEBHOOK: Signal[] = [
  "webhook-refused",
  "webhook-livemode-mismatch",
  "payment-without-webhook",
];

/** How often a signal has come since it was last written. */
const waiting = new Map<Signal, { count: number; timer: NodeJS.Timeout }>();

/**
 * Counts a signal in the database: the first at once, those of the minute that follows together at its end. Never
 * throws and does not wait; a process that is killed loses what it counted in the last minute.
 */
export function countSignal(signal: Signal): void {
  const open = waiting.get(signal);
  if (open) {
    open.count += 1;
    return;
  }
  const timer = setTimeout(() => {
    const count = waiting.get(signal)?.count ?? 0;
    waiting.delete(signal);
    if (count > 0) void write(signal, count);
  }, INTERVAL_MS).unref();
  waiting.set(signal, { count: 0, timer });
  void write(signal, 1);
}

/** Notes that a webhook was accepted, after which what was wrong with earlier ones does not count any more. */
export function countAcceptedWebhook(): void {
  // at once, if something is known to be wrong
  const isMending = MENDED_BY_WEBHOOK.some((signal) => waiting.has(signal));
  if (isMending)
    for (const signal of [...MENDED_BY_WEBHOOK, "webhook-accepted"] as const) forget(signal);
  countSignal("webhook-accepted");
}

/** Notes a payment that was noticed without a webhook, in the transaction that records it. */
export async function recordPaymentWithoutWebhook(executor: Executor): Promise<void> {
  forget("webhook-accepted");
  forget("payment-without-webhook");
  await addToSignal("payment-without-webhook", 1, executor);
}

/** Writes what was counted since the last time, as before a stop. Never throws. */
export async function writeCountedSignals(): Promise<void> {
  const counted = [...waiting];
  for (const [signal] of counted) forget(signal);
  await Promise.all(
    counted.map(([signal, { count }]) => (count > 0 ? write(signal, count) : Promise.resolve())),
  );
}

function forget(signal: Signal): void {
  clearTimeout(waiting.get(signal)?.timer);
  waiting.delete(signal);
}

async function write(signal: Signal, count: number): Promise<void> {
  if (!hasDatabase()) return;
  try {
    const { db } = getDatabase();
    await db.transaction(async (tx) => {
      await addToSignal(signal, count, tx);
      if (signal === "webhook-accepted") await resetSignals(MENDED_BY_WEBHOOK, tx);
    });
  } catch (error) {
    log().warn({ err: error, signal }, "a signal for the operator could not be counted");
  }
}
