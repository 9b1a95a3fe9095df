import type { Profile } from "~db/schema";
import type { CustomerBilling } from "./customer-billing.server";
import { countedMembership } from "./subscription-state";

/** How long Stripe retries a webhook, in milliseconds. Older payments get no more webhooks. */
const WEBHOOK_RETRY_MS = 3 * 24 * 60 * 60 * 1_000;

/**
 * Returns whether a snapshot is the first to show a recent payment that changes the membership. Stripe must then have
 * sent a webhook about it.
 */
export function showsNewPayment(
  before: Pick<Profile, "syncedAt" | "stripePriceId" | "stripeCurrentPeriodEnd">,
  { state, memberships, at }: Pick<CustomerBilling, "state" | "memberships"> & { at: Date },
): boolean {
  const { stripePriceId, stripeCurrentPeriodEnd: end } = state;
  if (stripePriceId === null || end === null) return false;
  const isChanged =
    before.stripePriceId === null || end.getTime() !== before.stripeCurrentPeriodEnd?.getTime();
  const { invoices = [] } = countedMembership(memberships, state) ?? {};
  const paid = invoices.map((invoice) => invoice.status_transitions.paid_at ?? 0);
  const paidAt = Math.max(0, ...paid) * 1_000;
  const isNew = paidAt > (before.syncedAt?.getTime() ?? 0);
  return isChanged && isNew && at.getTime() - paidAt <= WEBHOOK_RETRY_MS;
}
