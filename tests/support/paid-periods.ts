import type Stripe from "stripe";
import { stripeClient } from "~/features/billing/stripe-client.server";

const DAY = 24 * 60 * 60;

/** The periods of docs/payments.md, independent of the code under test. */
const LEEWAY = 2 * DAY;
const GRACE = 15 * DAY;
const DEBIT_GRACE = 22 * DAY;

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
    // newest first
    const own = invoices.data.filter((invoice) => subscriptionOf(invoice) === subscription.id);
    const periods = own.map((invoice) => periodOf(invoice, charges.data, disputes.data));
    takeBackCredits(periods);
    addSubscription(subscription, periods, now, entitlement);
  }
  return entitlement;
}

type Period = {
  invoice: Stripe.Invoice;
  /** Whether it has a period of a price, and not only of free time. */
  isBought: boolean;
  start: number;
  end: number;
  isPaid: boolean;
  /** Whether a bank debit for it is on its way. */
  isDebited: boolean;
  isRefunded: boolean;
  paidAt: number;
  disputes: Stripe.Dispute[];
};

/** Ends periods where a newer paid invoice credits the rest of them. */
function takeBackCredits(periods: Period[]): void {
  for (const [at, { invoice, isPaid }] of periods.entries()) {
    const credits = isPaid ? invoice.lines.data.filter(({ amount }) => amount < 0) : [];
    for (const { period: credit } of credits) {
      for (const older of periods.slice(at + 1)) {
        if (older.end === credit.end) older.end = credit.start;
      }
    }
  }
}

function addSubscription(
  { status, items, cancel_at, pause_collection, trial_end, metadata }: Stripe.Subscription,
  periods: Period[],
  now: number,
  entitlement: Entitlement,
): void {
  for (const { invoice } of periods) {
    // paid, or given while collection is or was paused
    if (invoice.status === "open" && !pause_collection) continue;
    const ends = invoice.lines.data.map(({ period }) => period.end + DEBIT_GRACE);
    entitlement.latestEndOfAnyGrace = Math.max(entitlement.latestEndOfAnyGrace, ...ends);
  }
  const paid = periods.filter(({ isPaid }) => isPaid);
  const open = paid
    .flatMap(({ disputes }) => disputes)
    .filter(isOpenOrLost)
    // a lost one no longer counts once another period has been paid
    .filter(({ status, created }) => {
      const isPaidSince = paid.some((p) => p.paidAt > created && p.invoice.amount_paid > 0);
      return status !== "lost" || !isPaidSince;
    });
  for (const dispute of open) {
    const late = paid.filter(
      ({ paidAt, invoice }) =>
        paidAt > dispute.created + DAY &&
        invoice.amount_paid > 0 &&
        // anything else is the author's own doing
        invoice.billing_reason === "subscription_cycle",
    );
    // while collection is paused, only the holder can have paid
    if (pause_collection) continue;
    entitlement.chargedWhileDisputed.push(
      ...late.map(({ invoice, paidAt }) => ({ invoice: invoice.id ?? "", paidAt })),
    );
  }
  const last = paid.filter(({ isBought }) => isBought).sort((a, b) => b.end - a.end)[0];
  const isLive = ["active", "trialing", "past_due"].includes(status);
  if (!isLive || open.length > 0) return;

  const periodEnd = items.data[0]?.current_period_end ?? 0;
  const isPausedByAuthor = pause_collection !== null && !metadata.paused_for_dispute;
  const given = Math.max(trial_end ?? 0, isPausedByAuthor && !last?.isRefunded ? periodEnd : 0);
  const until = Math.max(given, last?.end ?? 0);
  if (until === 0 || (last?.isRefunded && given <= last.end)) return;

  const isCanceledBy = (moment: number) => cancel_at !== null && cancel_at <= moment;
  const isRunning = now < until && (given > now || (last?.start ?? 0) <= now);
  if (isRunning && !isCanceledBy(now)) entitlement.isPaidNow = true;
  const grace = periods[0]?.isDebited ? DEBIT_GRACE : GRACE;
  const renewing = until + (periodEnd > until ? grace : LEEWAY);
  const end = isCanceledBy(until) ? Number(cancel_at) : Math.min(renewing, cancel_at ?? renewing);
  if (now < end) entitlement.givesAccess = true;
}

function periodOf(
  invoice: Stripe.Invoice,
  charges: Stripe.Charge[],
  disputes: Stripe.Dispute[],
): Period {
  const intents = (invoice.payments?.data ?? []).map(({ payment }) => payment.payment_intent);
  const own = charges.filter(({ payment_intent }) => intents.includes(payment_intent ?? ""));
  const paidBy = own.filter(({ status }) => status === "succeeded");
  const ids = new Set(paidBy.map(({ id }) => id));
  const bought = invoice.lines.data.filter(({ amount }) => amount > 0);
  return {
    invoice,
    isBought: bought.length > 0,
    start: Math.min(...bought.map(({ period }) => period.start)),
    end: Math.max(...bought.map(({ period }) => period.end)),
    isPaid: invoice.status === "paid",
    isDebited: own.some(({ status }) => status === "pending"),
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
