import type Stripe from "stripe";

const DAY = 24 * 60 * 60;

/**
 * How long a membership that renews keeps access beyond the period paid for, in days, until the site has
 * heard of the renewal. Stripe advises a day or two
 * (https://docs.stripe.com/billing/subscriptions/webhooks#track): the period ends before the next one's
 * invoice is made, and its webhook comes when it comes.
 */
export const RENEWAL_LEEWAY_DAYS = 2;

/**
 * How long a member keeps access after a renewal was not paid, in days from the end of the last period that
 * was: Stripe's two weeks of retries (https://docs.stripe.com/billing/revenue-recovery/smart-retries), and a
 * day for the hour an invoice stays a draft and for hearing of the last try.
 */
export const UNPAID_GRACE_DAYS = 15;

/** What is paid of a subscription. */
export type Coverage = {
  /** End of the last period that was paid for, in seconds since 1970; null for none. */
  paidUntil: number | null;
  /** Why there is no access all the same: the last payment was refunded in full, or one is disputed. */
  withdrawn: "refund" | "dispute" | null;
};

/**
 * When access through a subscription that goes on ends, in seconds since 1970; null for none. A membership
 * that renews keeps it until the renewal can have been decided and heard of; one that is cancelled ends on
 * time. The grace counts from the first unpaid period, however many follow it.
 */
export function accessEndOf(
  subscription: Stripe.Subscription,
  item: Stripe.SubscriptionItem,
  { paidUntil, withdrawn }: Coverage,
): number | null {
  if (paidUntil === null || withdrawn) return null;
  const cancelAt = cancelAtOf(subscription, item);
  const isSettled = paidUntil >= item.current_period_end;
  const end = paidUntil + (isSettled ? RENEWAL_LEEWAY_DAYS : UNPAID_GRACE_DAYS) * DAY;
  return cancelAt === null ? end : Math.min(end, cancelAt);
}

/** When a subscription is set to end, in seconds since 1970; null while it goes on. */
export function cancelAtOf(
  { cancel_at, cancel_at_period_end }: Stripe.Subscription,
  { current_period_end }: Stripe.SubscriptionItem,
): number | null {
  return cancel_at ?? (cancel_at_period_end ? current_period_end : null);
}
