import type Stripe from "stripe";
import { isHarmful } from "./coverage";
import type { ExaminedMembership } from "./customer-billing.server";
import { stripeClient } from "./stripe-client.server";
import { isOver } from "./subscription-state";

/** What was done at Stripe about the disputes of a membership. */
export type DisputeAction = {
  kind: "dispute-opened" | "dispute-won" | "dispute-lost";
  subscriptionId: string;
  chargeId: string | undefined;
};

/** Marks what we stopped at Stripe, a subscription by its dispute: what the author stopped is left alone. */
const PAUSED_FOR = "paused_for_dispute";

/** Lost for good; an appeal is open again. */
const LOST = "lost";

/**
 * Sees to it that a disputed membership is not charged again: while a dispute is open nothing is collected,
 * once it is lost the subscription is cancelled, once it is won collection goes on
 * (https://docs.stripe.com/billing/subscriptions/pause-payment). Tells of each thing as soon as it is
 * done, and of nothing when it is asked again. Throws what Stripe throws.
 */
export async function applyDisputeActions(
  memberships: readonly ExaminedMembership[],
  tell: (action: DisputeAction) => void,
): Promise<void> {
  for (const membership of memberships) {
    if (isOver(membership.subscription)) continue;
    const action = await applyAction(membership);
    if (action) tell(action);
  }
}

async function applyAction({
  subscription,
  disputes,
  coverage,
  invoices,
}: ExaminedMembership): Promise<DisputeAction | null> {
  const { id: subscriptionId, metadata, pause_collection: pause } = subscription;
  const action = (kind: DisputeAction["kind"], chargeId?: string) => ({
    kind,
    subscriptionId,
    chargeId,
  });
  const { subscriptions } = stripeClient();

  const lost = disputes.find(({ dispute }) => dispute.status === LOST);
  if (lost) {
    await subscriptions.cancel(subscriptionId, { prorate: false, invoice_now: false });
    return action("dispute-lost", lost.chargeId);
  }
  const isDisputed = coverage.withdrawn === "dispute";
  if (isDisputed && !pause) {
    const open = disputes.find(isHarmful);
    await stopCollection(invoices);
    await subscriptions.update(subscriptionId, {
      pause_collection: { behavior: "void" },
      metadata: { [PAUSED_FOR]: open?.dispute.id ?? "" },
    });
    return action("dispute-opened", open?.chargeId);
  }
  if (!isDisputed && pause && metadata[PAUSED_FOR]) {
    await resumeCollection(invoices);
    await subscriptions.update(subscriptionId, {
      pause_collection: "",
      metadata: { [PAUSED_FOR]: "" },
    });
    return action("dispute-won", disputes[0]?.chargeId);
  }
  return null;
}

/** A pause holds for invoices to come; those that are there are collected or not as each of them says. */
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
