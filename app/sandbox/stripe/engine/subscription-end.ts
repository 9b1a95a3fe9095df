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
    update(sandbox, "invoice.updated", invoice, () => {
      invoice.auto_advance = false;
      invoice.automatically_finalizes_at = null;
      invoice.next_payment_attempt = null;
    });
  }
}

/** Schedules the end of a subscription at its period's end, or takes that back. */
export function setCancelAtPeriodEnd(
  sandbox: Sandbox,
  subscription: Subscription,
  wanted: boolean,
): void {
  update(sandbox, "customer.subscription.updated", subscription, () => {
    subscription.cancel_at_period_end = wanted;
    subscription.cancel_at = wanted ? itemOf(subscription).current_period_end : null;
    subscription.canceled_at = wanted ? sandbox.now() : null;
    if (subscription.cancellation_details) {
      subscription.cancellation_details.reason = wanted ? "cancellation_requested" : null;
    }
  });
}

/** Schedules the end of a subscription, in Unix seconds; null takes that back. */
export function setCancelAt(sandbox: Sandbox, subscription: Subscription, at: number | null): void {
  update(sandbox, "customer.subscription.updated", subscription, () => {
    subscription.cancel_at = at;
    subscription.cancel_at_period_end = false;
    subscription.canceled_at = at === null ? null : sandbox.now();
    if (subscription.cancellation_details) {
      subscription.cancellation_details.reason = at === null ? null : "cancellation_requested";
    }
  });
}
