import type Stripe from "stripe";
import { RUNNING_STATUSES } from "~/features/membership/membership-state";
import type { NextPayment } from "~/features/membership/next-payment";
import { accessEndOf, type Coverage, cancelAtOf } from "./access-end-rule";

/** The billing columns of a profile row. */
export type BillingState = {
  stripePriceId: string | null;
  stripeCurrentPeriodEnd: Date | null;
  stripeSubscriptionId: string | null;
  stripeSubscriptionStatus: string | null;
  stripeCancelAtPeriodEnd: boolean;
  stripeCancelAt: Date | null;
  accessRevoked: "refund" | "dispute" | null;
  /** Another membership that renews too, so both are charged. */
  secondSubscriptionId: string | null;
  isPaymentPending: boolean;
};

/** Nothing more is charged. */
export const NO_PAYMENT: NextPayment = {
  nextPaymentAt: null,
  nextPaymentAmount: null,
  nextPaymentCurrency: null,
};

/** The billing state of a user who has never been a member. */
export const NO_MEMBERSHIP: BillingState = {
  stripePriceId: null,
  stripeCurrentPeriodEnd: null,
  stripeSubscriptionId: null,
  stripeSubscriptionStatus: null,
  stripeCancelAtPeriodEnd: false,
  stripeCancelAt: null,
  accessRevoked: null,
  secondSubscriptionId: null,
  isPaymentPending: false,
};

/** A subscription to one of the site's products, the item for that product, and how far it is paid. */
export type Membership = {
  subscription: Stripe.Subscription;
  item: Stripe.SubscriptionItem;
  coverage: Coverage;
};

/** Statuses of an ended subscription; only these allow a new checkout. */
const ENDED = new Set(["canceled", "incomplete_expired"]);

/** Returns whether a status gives access. Stripe may add statuses, so an unknown one does not. */
export function givesAccess({ status }: Stripe.Subscription): boolean {
  return RUNNING_STATUSES.includes(status);
}

/** Returns the membership that a state was made of; undefined if there is none. */
export function countedMembership<Kind extends Membership>(
  memberships: readonly Kind[],
  { stripeSubscriptionId }: Pick<BillingState, "stripeSubscriptionId">,
): Kind | undefined {
  return memberships.find(({ subscription }) => subscription.id === stripeSubscriptionId);
}

/** Returns whether a subscription has ended for good; one with an unknown status has not. */
export function isOver({ status }: Stripe.Subscription): boolean {
  return ENDED.has(status);
}

/** Returns the memberships that have not ended, which prevent a new checkout. */
export function liveMemberships(memberships: readonly Membership[]): Membership[] {
  return memberships.filter(({ subscription }) => !isOver(subscription));
}

/**
 * Returns a customer's billing state from all memberships, including canceled ones. The one with the longest access
 * counts or, if none gives access, the highest ranked.
 */
export function billingStateOf(memberships: readonly Membership[]): BillingState {
  const best = [...memberships].sort(byAccessAndRank)[0];
  if (!best) return NO_MEMBERSHIP;
  const { subscription, item, coverage } = best;
  const end = endOf(best);
  const isLive = givesAccess(subscription);
  const cancelAt = isLive ? cancelAtOf(subscription, item) : null;
  return {
    stripePriceId: end === null ? null : item.price.id,
    stripeCurrentPeriodEnd: dateOf(end),
    stripeSubscriptionId: subscription.id,
    stripeSubscriptionStatus: subscription.status,
    stripeCancelAtPeriodEnd: cancelAt !== null,
    stripeCancelAt: dateOf(cancelAt),
    accessRevoked: isOver(subscription) ? null : coverage.revoked,
    secondSubscriptionId: secondOf(memberships, subscription.id),
    isPaymentPending: coverage.isDebitPending ?? false,
  };
}

/**
 * Returns when a membership is charged next, in Unix seconds; null if it is not. That is the end of its period, not
 * that of access, which has a leeway.
 */
export function nextChargeOf({ subscription, item }: Membership): number | null {
  if (!givesAccess(subscription) || subscription.pause_collection) return null;
  const cancelAt = cancelAtOf(subscription, item);
  const { current_period_end: periodEnd } = item;
  return cancelAt === null || cancelAt > periodEnd ? periodEnd : null;
}

/** Returns the newest membership that renews beside the counted one or others; null if at most one renews. */
function secondOf(memberships: readonly Membership[], counted: string): string | null {
  // an incomplete one was never paid, and ends by itself within a day
  const renewing = liveMemberships(memberships)
    .filter(({ subscription, item }) => cancelAtOf(subscription, item) === null)
    .filter(({ subscription: { status } }) => status !== "incomplete")
    .sort((a, b) => b.subscription.created - a.subscription.created);
  if (renewing.length < 2) return null;
  return renewing.find(({ subscription: { id } }) => id !== counted)?.subscription.id ?? null;
}

/** Returns the end of access in Unix seconds; null for no access. */
function endOf({ subscription, item, coverage }: Membership): number | null {
  return givesAccess(subscription) ? accessEndOf(subscription, item, coverage) : null;
}

/** Returns the rank of a membership's status; 0 if it cannot give access. */
function rankOf({ subscription: { status } }: Membership): number {
  const place = RUNNING_STATUSES.indexOf(status);
  return place === -1 ? 0 : RUNNING_STATUSES.length - place;
}

function byAccessAndRank(a: Membership, b: Membership): number {
  return (
    (endOf(b) ?? 0) - (endOf(a) ?? 0) ||
    rankOf(b) - rankOf(a) ||
    Number(isOver(a.subscription)) - Number(isOver(b.subscription)) ||
    b.item.current_period_end - a.item.current_period_end ||
    b.subscription.created - a.subscription.created ||
    (a.subscription.id < b.subscription.id ? 1 : -1)
  );
}

function dateOf(seconds: number | null): Date | null {
  return seconds === null ? null : new Date(seconds * 1_000);
}
