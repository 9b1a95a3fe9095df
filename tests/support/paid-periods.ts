import type Stripe from "stripe";
import { stripeClient } from "~/features/billing/stripe-client.server";

const DAY = 24 * 60 * 60;

/** The rule as it is written in docs/payments.md, in numbers of its own. */
const LEEWAY = 2 * DAY;
const GRACE = 15 * DAY;

/** What somebody is entitled to, judged by invoices, payments and disputes and not by the rule under test. */
export type Truth = {
  /** Whether a current membership has a running period that is paid, not refunded and not disputed. */
  isPaidNow: boolean;
  /** Whether there must be access, leeway and grace included. */
  givesAccess: boolean;
  /** When the last grace of any period that was ever paid is over, in seconds since 1970; 0 for none. */
  latestEndOfAnyGrace: number;
  /** Invoices paid in spite of a dispute that had been open for a day or more. */
  chargedWhileDisputed: string[];
};

/** Judges all of a customer's subscriptions at a moment, in seconds since 1970. */
export async function truthAboutCustomer(customer: string, now: number): Promise<Truth> {
  const stripe = stripeClient();
  const [subscriptions, invoices, charges, disputes] = await Promise.all([
    stripe.subscriptions.list({ customer, status: "all", limit: 100 }),
    stripe.invoices.list({ customer, limit: 100, expand: ["data.payments"] }),
    stripe.charges.list({ customer, limit: 100 }),
    stripe.disputes.list({ limit: 100 }),
  ]);
  const truth: Truth = {
    isPaidNow: false,
    givesAccess: false,
    latestEndOfAnyGrace: 0,
    chargedWhileDisputed: [],
  };
  for (const subscription of subscriptions.data) {
    const periods = invoices.data
      .filter((invoice) => subscriptionOf(invoice) === subscription.id)
      .map((invoice) => periodOf(invoice, charges.data, disputes.data));
    judge(subscription, periods, now, truth);
  }
  return truth;
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

function judge(
  { status, items, cancel_at, pause_collection }: Stripe.Subscription,
  periods: Period[],
  now: number,
  truth: Truth,
): void {
  const paid = periods.filter(({ isPaid }) => isPaid);
  for (const { end } of paid) {
    truth.latestEndOfAnyGrace = Math.max(truth.latestEndOfAnyGrace, end + GRACE);
  }
  const open = paid
    .flatMap(({ disputes }) => disputes)
    .filter(isOpenOrLost)
    // lost, but paid again since, so it no longer counts
    .filter(({ status, created }) => status !== "lost" || !paid.some((p) => p.paidAt > created));
  for (const dispute of open) {
    const late = paid.filter(({ paidAt }) => paidAt > dispute.created + DAY);
    // the holder may pay by themselves; what is collected is collected by Stripe
    if (pause_collection) continue;
    truth.chargedWhileDisputed.push(...late.map(({ invoice }) => invoice.id ?? ""));
  }
  const last = paid.sort((a, b) => b.end - a.end)[0];
  const goesOn = ["active", "trialing", "past_due"].includes(status);
  if (!last || !goesOn || open.length > 0 || last.isRefunded) return;

  const isCancelledBy = (moment: number) => cancel_at !== null && cancel_at <= moment;
  if (last.start <= now && now < last.end && !isCancelledBy(now)) truth.isPaidNow = true;
  const hasMovedOn = (items.data[0]?.current_period_end ?? 0) > last.end;
  const renewing = last.end + (hasMovedOn ? GRACE : LEEWAY);
  const end = isCancelledBy(last.end)
    ? Number(cancel_at)
    : Math.min(renewing, cancel_at ?? renewing);
  if (now < end) truth.givesAccess = true;
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
