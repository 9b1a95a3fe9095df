import type { PaidMembership } from "~db/queries/memberships";
import { cancelAtOf } from "./access-end-rule";
import type { ExaminedMembership } from "./customer-billing.server";
import { givesAccess, isOver } from "./subscription-state";

/**
 * How long a subscription stays `incomplete` after its first payment fails, in seconds. A longer-lived one was paid
 * for (https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses).
 */
const INCOMPLETE_LIFE = 23 * 60 * 60;

/** Months per price interval. */
const MONTHS: Record<string, number> = { day: 12 / 365, week: (12 * 7) / 365, month: 1, year: 12 };

/** Returns a snapshot's paid memberships for the statistics (docs/members.md). */
export function paidMemberships(memberships: readonly ExaminedMembership[]): PaidMembership[] {
  return memberships.filter(wasPaid).map(({ subscription, item }) => ({
    stripeSubscriptionId: subscription.id,
    startedAt: new Date(subscription.start_date * 1_000),
    endedAt: endOf({ subscription, item }),
    // free time, as a trial, is no revenue
    monthlyAmount: subscription.status === "trialing" ? 0 : monthlyAmount(item),
    currency: item.price.currency,
    reason: reasonOf({ subscription, item }),
  }));
}

function wasPaid({ subscription, invoices }: ExaminedMembership): boolean {
  const { status, start_date, ended_at } = subscription;
  if (status === "incomplete" || status === "incomplete_expired") return false;
  if (!isOver(subscription)) return true;
  const lasted = (ended_at ?? start_date) - start_date;
  return lasted > INCOMPLETE_LIFE || invoices.some((invoice) => invoice.status === "paid");
}

/** Returns when payments stopped: Stripe's end, or the start of the first unpaid period; null while they continue. */
function endOf({ subscription, item }: Pick<ExaminedMembership, "subscription" | "item">) {
  if (isOver(subscription)) {
    return new Date((subscription.ended_at ?? item.current_period_end) * 1_000);
  }
  return givesAccess(subscription) ? null : new Date(item.current_period_start * 1_000);
}

/** Returns why its holder canceled, as they told Stripe; null if they did not, or keep it after all. */
function reasonOf({ subscription, item }: Pick<ExaminedMembership, "subscription" | "item">) {
  const isKept = !isOver(subscription) && cancelAtOf(subscription, item) === null;
  return isKept ? null : (subscription.cancellation_details?.feedback ?? null);
}

/** Returns an item's price per month, in the currency's minor unit, without discounts. */
function monthlyAmount({ price, quantity = 1 }: ExaminedMembership["item"]): number {
  const { unit_amount, recurring } = price;
  const months = (MONTHS[recurring?.interval ?? "month"] ?? 1) * (recurring?.interval_count ?? 1);
  return Math.round(((unit_amount ?? 0) * quantity) / months);
}
