import { emit, update } from "./events";
import { invoicesOf } from "./invoices";
import type { Sandbox } from "./sandbox";
import { itemOf } from "./subscriptions";
import type { Subscription } from "./wire";

type EndReason = "cancellation_requested" | "payment_failed" | "payment_disputed";

/** Ends a subscription immediately. Open invoices are no longer collected. */
export function endSubscription(
  sandbox: Sandbox,
  subscription: Subscription,
  reason: EndReason,
): void {
  const now = sandbox.now();
  stopCollecting(sandbox, subscription);
  subscription.status = "canceled";
  subscription.canceled_at ??= now;
  subscription.ended_at = now;
  if (subscription.cancellation_details) subscription.cancellation_details.reason ??= reason;
  emit(sandbox, "customer.subscription.deleted", subscription);
}

/** Stops the automatic collection of a subscription's unpaid invoices. */
export function stopCollecting(sandbox: Sandbox, subscription: Subscription): void {
  for (const invoice of invoicesOf(sandbox, subscription)) {
    if (invoice.status !== "open" && invoice.status !== "draft") continue;
    update(sandbox, "invoice.updated", invoice, {
      auto_advance: false,
      automatically_finalizes_at: null,
      next_payment_attempt: null,
    });
  }
}

/** Schedules a subscription's end, at Unix seconds or with its period; null cancels that. */
export function setCancelAt(
  sandbox: Sandbox,
  subscription: Subscription,
  at: number | "period_end" | null,
  feedback: string | null = null,
): void {
  const details = subscription.cancellation_details;
  update(sandbox, "customer.subscription.updated", subscription, {
    cancel_at: at === "period_end" ? itemOf(subscription).current_period_end : at,
    cancel_at_period_end: at === "period_end",
    canceled_at: at === null ? null : sandbox.now(),
    cancellation_details: details && {
      ...details,
      feedback: feedback as typeof details.feedback,
      reason: at === null ? null : "cancellation_requested",
    },
  });
}
