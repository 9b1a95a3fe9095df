import type Stripe from "stripe";
import { PAUSED_FOR } from "./access-end-rule";
import { type DisputedPayment, isHarmful, isPaidSince } from "./coverage";
import type { ExaminedMembership } from "./customer-billing.server";
import { stripeClient } from "./stripe-client.server";
import { isOver } from "./subscription-state";

/** An action taken at Stripe because of a membership's dispute. */
export type DisputeAction = {
  kind: "dispute-opened" | "dispute-won" | "dispute-lost" | "dispute-lost-paid-since";
  subscriptionId: string;
  chargeId: string | undefined;
  dispute: Stripe.Dispute | undefined;
};

/** Final; an appealed dispute gets an open status again. */
const LOST = "lost";

/**
 * Prevents further charges to a disputed membership (https://docs.stripe.com/billing/subscriptions/pause-payment).
 * Pauses collection while a dispute is open, cancels the subscription once it is lost, and resumes collection once it
 * is won, or lost after the member has paid again. Idempotent: calls `onAction` right after each action, but not again
 * on a repeated call. Throws Stripe's errors.
 */
export async function applyDisputeActions(
  memberships: readonly ExaminedMembership[],
  onAction: (action: DisputeAction) => Promise<void>,
): Promise<void> {
  for (const membership of memberships) {
    if (isOver(membership.subscription)) continue;
    const action = await applyAction(membership);
    if (action) await onAction(action);
  }
}

async function applyAction({
  subscription,
  disputes,
  coverage,
  invoices,
}: ExaminedMembership): Promise<DisputeAction | null> {
  const { id: subscriptionId, metadata, pause_collection: pause } = subscription;
  const action = (kind: DisputeAction["kind"], disputed?: DisputedPayment) => ({
    kind,
    subscriptionId,
    chargeId: disputed?.chargeId,
    dispute: disputed?.dispute,
  });
  const { subscriptions } = stripeClient();

  const lost = disputes.filter(({ dispute }) => dispute.status === LOST);
  const unpaid = lost.find((disputed) => !isPaidSince(disputed, invoices));
  if (unpaid) {
    await subscriptions.cancel(subscriptionId, { prorate: false, invoice_now: false });
    return action("dispute-lost", unpaid);
  }
  const isDisputed = coverage.revoked === "dispute";
  if (isDisputed && !pause) {
    const open = disputes.find(isHarmful);
    await stopCollection(invoices);
    await subscriptions.update(subscriptionId, {
      pause_collection: { behavior: "void" },
      metadata: { [PAUSED_FOR]: open?.dispute.id ?? "" },
    });
    return action("dispute-opened", open);
  }
  if (!isDisputed && pause && metadata[PAUSED_FOR]) {
    await resumeCollection(invoices);
    await subscriptions.update(subscriptionId, {
      pause_collection: "",
      metadata: { [PAUSED_FOR]: "" },
    });
    const lostFor = lost.find(({ dispute }) => dispute.id === metadata[PAUSED_FOR]);
    return lostFor
      ? action("dispute-lost-paid-since", lostFor)
      : action("dispute-won", disputes[0]);
  }
  return null;
}

/** Stops collecting existing invoices one by one, since a subscription's pause affects only future ones. */
async function stopCollection(invoices: readonly Stripe.Invoice[]): Promise<void> {
  for (const { id, status, auto_advance } of invoices) {
    const isCollected = (status === "draft" || status === "open") && auto_advance;
    if (!isCollected) continue;
    const metadata = { [PAUSED_FOR]: "true" };
    await stripeClient().invoices.update(id, { auto_advance: false, metadata });
  }
}

async function resumeCollection(invoices: readonly Stripe.Invoice[]): Promise<void> {
  for (const { id, status, metadata } of invoices) {
    const isOwed = status === "draft" || status === "open";
    if (!isOwed || !metadata?.[PAUSED_FOR]) continue;
    await stripeClient().invoices.update(id, {
      auto_advance: true,
      metadata: { [PAUSED_FOR]: "" },
    });
  }
}
