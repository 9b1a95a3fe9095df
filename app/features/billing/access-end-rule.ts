import type Stripe from "stripe";

const DAY = 24 * 60 * 60;

/**
 * Days a renewing membership keeps access beyond the paid period, so the renewal's webhook has time to arrive. Stripe
 * advises a day or two (https://docs.stripe.com/billing/subscriptions/webhooks#track): the period ends before the
 * next invoice is created, and its webhook may be delayed.
 */
export const RENEWAL_LEEWAY_DAYS = 2;

/**
 * Days a member keeps access after an unpaid renewal, from the end of the last paid period. Covers Stripe's two weeks
 * of retries (https://docs.stripe.com/billing/revenue-recovery/smart-retries), plus a day for the hour an invoice
 * stays a draft and the last attempt's webhook.
 */
export const UNPAID_GRACE_DAYS = 15;

/**
 * Days a member keeps access while a bank debit for an unpaid renewal is processing, from the same time. SEPA takes up
 * to 14 business days (https://docs.stripe.com/payments/sepa-debit).
 */
export const DEBIT_GRACE_DAYS = 22;

/** Metadata key of what we paused at Stripe, to leave alone what the author paused. */
export const PAUSED_FOR = "paused_for_dispute";

/** How far a subscription is paid. */
export type Coverage = {
  /** End of the last paid or free period, in seconds since 1970; null for none. */
  paidUntil: number | null;
  /** Why a paid period gives no access: its last payment was fully refunded, or one is disputed. */
  revoked: "refund" | "dispute" | null;
  /** Whether a bank debit for the newest invoice is on its way. */
  isDebitPending?: boolean;
};

/**
 * Returns when access through a live subscription ends, in Unix seconds; null for no access. A renewing membership
 * keeps access through the leeway or grace period; a canceled one ends on time. The grace period starts with the
 * first unpaid period, however many follow.
 */
export function accessEndOf(
  subscription: Stripe.Subscription,
  item: Stripe.SubscriptionItem,
  { paidUntil, revoked, isDebitPending }: Coverage,
): number | null {
  if (paidUntil === null || revoked) return null;
  const cancelAt = cancelAtOf(subscription, item);
  const isSettled = paidUntil >= item.current_period_end;
  const grace = isDebitPending ? DEBIT_GRACE_DAYS : UNPAID_GRACE_DAYS;
  const end = paidUntil + (isSettled ? RENEWAL_LEEWAY_DAYS : grace) * DAY;
  return cancelAt === null ? end : Math.min(end, cancelAt);
}

/** Returns when a subscription is set to end, in Unix seconds; null if it renews. */
export function cancelAtOf(
  { cancel_at, cancel_at_period_end }: Stripe.Subscription,
  { current_period_end }: Stripe.SubscriptionItem,
): number | null {
  return cancel_at ?? (cancel_at_period_end ? current_period_end : null);
}
