import type Stripe from "stripe";
import { accessEndOf, type Coverage, cancelAtOf } from "./access-end-rule";

/** What a profile row says of a customer's memberships. */
export type BillingState = {
  stripePriceId: string | null;
  stripeCurrentPeriodEnd: Date | null;
  stripeSubscriptionId: string | null;
  stripeSubscriptionStatus: string | null;
  stripeCancelAtPeriodEnd: boolean;
  stripeCancelAt: Date | null;
  accessWithdrawn: "refund" | "dispute" | null;
};

/** What a row says of somebody who has never been a member. */
export const NO_MEMBERSHIP: BillingState = {
  stripePriceId: null,
  stripeCurrentPeriodEnd: null,
  stripeSubscriptionId: null,
  stripeSubscriptionStatus: null,
  stripeCancelAtPeriodEnd: false,
  stripeCancelAt: null,
  accessWithdrawn: null,
};

/** A subscription to one of the site's products, the item of it that is, and what is paid of it. */
export type Membership = {
  subscription: Stripe.Subscription;
  item: Stripe.SubscriptionItem;
  coverage: Coverage;
};

/** Statuses of a subscription that goes on, and how much each is worth; one that is not listed gives no access. */
const RANK: Record<string, number> = { active: 3, trialing: 2, past_due: 1 };

/** Statuses of a subscription that is over: only these let somebody check out anew. */
const ENDED = new Set(["canceled", "incomplete_expired"]);

/** Statuses are an open set at Stripe, so an unknown one gives no access. */
export function givesAccess({ status }: Stripe.Subscription): boolean {
  return status in RANK;
}

/** Whether a subscription is over for good; one of an unknown status is not. */
export function isOver({ status }: Stripe.Subscription): boolean {
  return ENDED.has(status);
}

/** The memberships that keep their customer from checking out again: all that are not over. */
export function liveMemberships(memberships: readonly Membership[]): Membership[] {
  return memberships.filter(({ subscription }) => !isOver(subscription));
}

/**
 * What the row must say, given all memberships of a customer, cancelled ones included: the one whose
 * access lasts longest counts, and without any the one that is worth most.
 */
export function billingStateOf(memberships: readonly Membership[]): BillingState {
  const best = [...memberships].sort(byWorth)[0];
  if (!best) return NO_MEMBERSHIP;
  const { subscription, item, coverage } = best;
  const end = endOf(best);
  const goesOn = givesAccess(subscription);
  const cancelAt = goesOn ? cancelAtOf(subscription, item) : null;
  return {
    stripePriceId: end === null ? null : item.price.id,
    stripeCurrentPeriodEnd: dateOf(end),
    stripeSubscriptionId: subscription.id,
    stripeSubscriptionStatus: subscription.status,
    stripeCancelAtPeriodEnd: cancelAt !== null,
    stripeCancelAt: dateOf(cancelAt),
    accessWithdrawn: isOver(subscription) ? null : coverage.withdrawn,
  };
}

/** End of access in seconds since 1970; null where there is none. */
function endOf({ subscription, item, coverage }: Membership): number | null {
  return givesAccess(subscription) ? accessEndOf(subscription, item, coverage) : null;
}

function byWorth(a: Membership, b: Membership): number {
  return (
    (endOf(b) ?? 0) - (endOf(a) ?? 0) ||
    (RANK[b.subscription.status] ?? 0) - (RANK[a.subscription.status] ?? 0) ||
    Number(isOver(a.subscription)) - Number(isOver(b.subscription)) ||
    b.item.current_period_end - a.item.current_period_end ||
    b.subscription.created - a.subscription.created ||
    (a.subscription.id < b.subscription.id ? 1 : -1)
  );
}

function dateOf(seconds: number | null): Date | null {
  return seconds === null ? null : new Date(seconds * 1_000);
}
