import { webhooks } from "~/observability/metrics.server";
import { countSignal, type Signal } from "~/observability/operator-signals.server";
import { logSecurityEvent } from "~/observability/security-log.server";

const MINUTE_MS = 60_000;

/** Why a delivery was rejected; each reason is throttled separately, so that a flood of one does not hide another. */
export type RejectionReason = "no signature" | "wrong signature" | "livemode mismatch";

/** Deliveries rejected per reason since its last log line; absent when that line is over a minute old. */
const unlogged = new Map<RejectionReason, number>();

/**
 * Counts a rejected delivery and writes it to the security log: the first in a minute with its details, and at
 * the end of the minute how many more there were, so that a flood logs two lines per minute and reason.
 */
export function rejectWebhook(reason: RejectionReason, facts: Record<string, unknown>): void {
  webhooks.inc({ outcome: "refused" });
  const signal = SIGNALS[reason];
  if (signal) countSignal(signal);
  const before = unlogged.get(reason);
  if (before !== undefined) {
    unlogged.set(reason, before + 1);
    return;
  }
  unlogged.set(reason, 0);
  logSecurityEvent("webhook-refused", { reason, ...facts }, MESSAGES[reason]);
  setTimeout(() => {
    const count = unlogged.get(reason) ?? 0;
    unlogged.delete(reason);
    if (count > 0) {
      logSecurityEvent("webhook-refused", { reason, count }, "more webhooks rejected in a minute");
    }
  }, MINUTE_MS).unref();
}

/** What the operator is told of; Stripe signs everything, so what has no signature comes from somebody else. */
const SIGNALS: Record<RejectionReason, Signal | null> = {
  "no signature": null,
  "wrong signature": "webhook-refused",
  "livemode mismatch": "webhook-livemode-mismatch",
};

const MESSAGES: Record<RejectionReason, string> = {
  "no signature": "webhook rejected: it has no signature",
  "wrong signature":
    "webhook rejected: its signature is stale or made with a secret other than STRIPE_WEBHOOK_SECRET",
  "livemode mismatch":
    "webhook rejected: livemode mismatch (live event on a test key, or the reverse)",
};
