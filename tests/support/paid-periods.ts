import type Stripe from "stripe";
import { stripeClient } from "~/features/billing/stripe-client.server";

const DAY = 24 * 60 * 60;

/** The periods of docs/payments.md, independent of the code under test. */
const LEEWAY = 2 * DAY;
const GRACE = 15 * DAY;

/** A customer's entitlement, derived from invoices, payments and disputes, not by the rule under test. */
export type Entitlement = {
  /** Whether a current membership has a running period that is paid, not refunded and not disputed. */
  isPaidNow: boolean;
  /** Whether there must be access, including leeway and grace. */
  givesAccess: boolean;
  /** The end of the latest grace after any paid period, in seconds since 1970; 0 for none. */
  latestEndOfAnyGrace: number;
  /** Invoices that Stripe collected although a dispute had been open for more than a day, and when. */
  chargedWhileDisputed: { invoice: string; paidAt: number }[];
};

/** A customer's entitlement from all subscriptions, at a time in seconds since 1970. */
export async function entitlementOf(customer: string, now: number): Promise<Entitlement> {
  const stripe = stripeClient();
  const [subscriptions, invoices, charges, disputes] = await Promise.all([
    stripe.subscriptions.list({ customer, status: "all", limit: 100 }),
    stripe.invoices.list({ customer, limit: 100, expand: ["data.payments"] }),
    stripe.charges.list({ customer, limit: 100 }),
    stripe.disputes.list({ limit: 100 }),
  ]);
  const entitlement: Entitlement = {
    isPaidNow: false,
    givesAccess: false,
    latestEndOfAnyGrace: 0,
    chargedWhileDisputed: [],
  };
  for (const subscription of subscriptions.data) {
    const periods = invoices.data
      .filter((invoice) => subscriptionOf(invoice) === subscription.id)
      .map((invoice) => periodOf(invoice, charges.data, disputes.data));
    addSubscription(subscription, periods, now, entitlement);
  }
  return entitlement;
}

type Period = {
  invoice: Stripe.Invoice;
  start: number;
  end: number;
  isPaid: boolean;
  isRefunded: boolean;
  paidAt: number;
  disputes: Stripe.Dispute[];
};

function addSubscription(
  { status, items, cancel_at, pause_collection }: Stripe.Subscription,
  periods: Period[],
  now: number,
  entitlement: Entitlement,
): void {
  const paid = periods.filter(({ isPaid }) => isPaid);
  for (const { end } of paid) {
    entitlement.latestEndOfAnyGrace = Math.max(entitlement.latestEndOfAnyGrace, end + GRACE);
  }
  const open = paid
    .flatMap(({ disputes }) => disputes)
    .filter(isOpenOrLost)
    // a lost one no longer counts once another period has been paid
    .filter(({ status, created }) => status !== "lost" || !paid.some((p) => p.paidAt > created));
  for (const dispute of open) {
    const late = paid.filter(({ paidAt }) => paidAt > dispute.created + DAY);
    // while collection is paused, only the holder can have paid
    if (pause_collection) continue;
    entitlement.chargedWhileDisputed.push(
      ...late.map(({ invoice, paidAt }) => ({ invoice: invoice.id ?? "", paidAt })),
    );
  }
  const last = paid.sort((a, b) => b.end - a.end)[0];
  const isLive = ["active", "trialing", "past_due"].includes(status);
  if (!last || !isLive || open.length > 0 || last.isRefunded) return;

  const isCancelledBy = (moment: number) => cancel_at !== null && cancel_at <= moment;
  if (last.start <= now && now < last.end && !isCancelledBy(now)) entitlement.isPaidNow = true;
  const isNextPeriodUnpaid = (items.data[0]?.current_period_end ?? 0) > last.end;
  const renewing = last.end + (isNextPeriodUnpaid ? GRACE : LEEWAY);
  const end = isCancelledBy(last.end)
    ? Number(cancel_at)
    : Math.min(renewing, cancel_at ?? renewing);
  if (now < end) entitlement.givesAccess = true;
}

function periodOf(
  invoice: Stripe.Invoice,
  charges: Stripe.Charge[],
  disputes: Stripe.Dispute[],
): Period {
  const intents = (invoice.payments?.data ?? []).map(({ payment }) => payment.payment_intent);
  const paidBy = charges.filter(
    ({ payment_intent, status }) =>
      status === "succeeded" && intents.includes(payment_intent ?? ""),
  );
  const ids = new Set(paidBy.map(({ id }) => id));
  return {
    invoice,
    start: Math.min(...invoice.lines.data.map(({ period }) => period.start)),
    end: Math.max(...invoice.lines.data.map(({ period }) => period.end)),
    isPaid: invoice.status === "paid",
    isRefunded: paidBy.length > 0 && paidBy.every((charge) => charge.refunded),
    paidAt: invoice.status_transitions.paid_at ?? 0,
    disputes: disputes.filter(({ charge }) => typeof charge === "string" && ids.has(charge)),
  };
}

function isOpenOrLost({ status }: Stripe.Dispute): boolean {
  return status === "needs_response" || status === "under_review" || status === "lost";
}

function subscriptionOf({ parent }: Stripe.Invoice): unknown {
  return parent?.subscription_details?.subscription;
}
