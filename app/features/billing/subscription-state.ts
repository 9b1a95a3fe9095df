import type Stripe from "stripe";

const DAY_SECONDS = 24 * 60 * 60;

/** How long a member keeps access after a renewal failed, counted from the start of the unpaid period. */
export const PAST_DUE_GRACE_DAYS = 7;

/** What a profile row says of a customer's subscriptions. */
export type BillingState = {
  stripePriceId: string | null;
  stripeCurrentPeriodEnd: Date | null;
  stripeSubscriptionId: string | null;
  stripeSubscriptionStatus: string | null;
  stripeCancelAtPeriodEnd: boolean;
};

/** Statuses in order of what they are worth; a status that is not listed is worth nothing. */
const RANK: Record<string, number> = { active: 3, trialing: 2, past_due: 1 };

/** Statuses of a subscription that is over: only these let somebody check out anew. */
const ENDED = new Set(["canceled", "incomplete_expired"]);

/**
 * What the row must say, given all subscriptions of a customer, cancelled ones included: the best one
 * with our price counts. Statuses are an open set at Stripe, so an unknown one gives no access. Stripe
 * moves the period on before it is paid, so while it is unpaid access ends a grace after its start.
 * Wants each subscription's `latest_invoice` expanded.
 */
export function billingStateOf(
  subscriptions: readonly Stripe.Subscription[],
  priceId: string,
): BillingState {
  const ours = subscriptions
    .flatMap((subscription) => {
      const item = subscription.items.data.find(({ price }) => price.id === priceId);
      return item ? [{ subscription, item, rank: RANK[subscription.status] ?? 0 }] : [];
    })
    .sort(
      (a, b) =>
        b.rank - a.rank ||
        b.item.current_period_end - a.item.current_period_end ||
        b.subscription.created - a.subscription.created ||
        (a.subscription.id < b.subscription.id ? 1 : -1),
    );
  const best = ours[0];
  if (!best) {
    return {
      stripePriceId: null,
      stripeCurrentPeriodEnd: null,
      stripeSubscriptionId: null,
      stripeSubscriptionStatus: null,
      stripeCancelAtPeriodEnd: false,
    };
  }
  const { subscription, item, rank } = best;
  return {
    stripePriceId: rank > 0 ? priceId : null,
    stripeCurrentPeriodEnd: rank > 0 ? new Date(accessEnd(subscription, item) * 1000) : null,
    stripeSubscriptionId: subscription.id,
    stripeSubscriptionStatus: subscription.status,
    stripeCancelAtPeriodEnd:
      subscription.cancel_at_period_end || (rank > 0 && subscription.cancel_at !== null),
  };
}

/**
 * Whether the current period is settled. A renewed subscription is active for about an hour before
 * Stripe tries to collect: written as a whole month, that would outlive a lost word of the failure.
 */
function isPeriodPaid({ status, latest_invoice }: Stripe.Subscription): boolean {
  if (status === "past_due") return false;
  const invoice = typeof latest_invoice === "string" ? null : latest_invoice;
  return invoice?.status !== "draft" && invoice?.status !== "open";
}

/** Subscriptions that keep their customer from checking out again: all that are not over. */
export function blockingSubscriptions(
  subscriptions: readonly Stripe.Subscription[],
): Stripe.Subscription[] {
  return subscriptions.filter(({ status }) => !ENDED.has(status));
}

/** End of access in seconds since 1970. */
function accessEnd(subscription: Stripe.Subscription, item: Stripe.SubscriptionItem): number {
  const end = isPeriodPaid(subscription)
    ? item.current_period_end
    : Math.min(
        item.current_period_start + PAST_DUE_GRACE_DAYS * DAY_SECONDS,
        item.current_period_end,
      );
  return subscription.cancel_at === null ? end : Math.min(end, subscription.cancel_at);
}
