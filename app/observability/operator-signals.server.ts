import { db, type Executor, hasDatabase } from "~db/client";
import { addToSignal, resetSignals } from "~db/queries/operator-signals";
import { log } from "./log.server";

/** Signals for `app/features/checks/`, which lower layers cannot import and so only count. */
export type Signal =
  | "webhook-accepted"
  /** Signed with another secret, or not by Stripe. */
  | "webhook-refused"
  /** Signed with the right secret, but with a livemode that does not match the key. */
  | "webhook-livemode-mismatch"
  /** A payment that was noticed without a webhook, which may still come. */
  | "payment-without-webhook";

/** The signals that an accepted webhook resets. */
const RESET_BY_WEBHOOK: Signal[] = [
  "webhook-refused",
  "webhook-livemode-mismatch",
  "payment-without-webhook",
];

/** Counts by signal since the last write, so that a flood of one costs the database nothing. */
const counted = new Map<Signal, number>();

/** Counts a signal, which is written within a minute; a process that is killed loses what it counted until then. */
export function countSignal(signal: Signal): void {
  counted.set(signal, (counted.get(signal) ?? 0) + 1);
}

/** Counts an accepted webhook, which clears the failures of earlier ones. */
export function countAcceptedWebhook(): void {
  for (const signal of RESET_BY_WEBHOOK) counted.delete(signal);
  countSignal("webhook-accepted");
}

/** Notes a payment that was noticed without a webhook, in the transaction that records it. */
export async function recordPaymentWithoutWebhook(executor: Executor): Promise<void> {
  // a webhook accepted before the payment must not clear the signal
  counted.delete("webhook-accepted");
  await addToSignal("payment-without-webhook", 1, executor);
}

/** Writes what was counted since the last time, as every minute and before a stop. Never throws. */
export async function writeCountedSignals(): Promise<void> {
  // in one order, so that instances do not deadlock
  const signals = [...counted].sort();
  counted.clear();
  if (signals.length === 0 || !hasDatabase()) return;
  try {
    await db().transaction(async (tx) => {
      const isAccepted = signals.some(([signal]) => signal === "webhook-accepted");
      if (isAccepted) await resetSignals(RESET_BY_WEBHOOK, tx);
      for (const [signal, count] of signals) await addToSignal(signal, count, tx);
    });
  } catch (error) {
    log().warn({ err: error }, "signals for the operator could not be counted");
  }
}
