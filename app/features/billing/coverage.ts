import type Stripe from "stripe";
import { type Coverage, PAUSED_FOR } from "./access-end-rule";

/** A dispute and the disputed payment. */
export type DisputedPayment = { dispute: Stripe.Dispute; chargeId: string };

/** A customer's charges by the ids invoices use: the payment intent's or the charge's own. */
export type Payments = ReadonlyMap<string, Stripe.Charge>;

/**
 * Dispute statuses in which no money is withheld: won, prevented or only an inquiry
 * (https://docs.stripe.com/api/disputes/object#dispute_object-status). Any other counts as open or lost.
 */
const HARMLESS = new Set([
  "won",
  "prevented",
  "warning_needs_response",
  "warning_under_review",
  "warning_closed",
]);

export function paymentsOf(charges: readonly Stripe.Charge[]): Payments {
  const payments = new Map<string, Stripe.Charge>();
  for (const charge of charges) {
    // Only one charge of a payment intent can succeed.
    if (charge.status !== "succeeded") continue;
    payments.set(charge.id, charge);
    const intent = idOf(charge.payment_intent);
    if (intent) payments.set(intent, charge);
  }
  return payments;
}

/**
 * Returns whether the newest invoice alone proves that the current period is paid. An unpaid one does not, nor one
 * for something else, such as an extra charge by the author.
 */
export function settlesPeriod(
  invoice: Stripe.Invoice | null,
  item: Stripe.SubscriptionItem,
  products: ReadonlySet<string>,
): invoice is Stripe.Invoice {
  return (
    invoice?.status === "paid" && (coveredUntil(invoice, products) ?? 0) >= item.current_period_end
  );
}

/**
 * Returns how far a subscription is paid, from its invoices, newest first. Only `paid` counts. Stripe also calls a
 * subscription active whose invoice was written off (`uncollectible`) or voided
 * (https://docs.stripe.com/billing/subscriptions/overview#unpaid-subscriptions).
 */
export function coverageOf(
  invoices: readonly Stripe.Invoice[],
  payments: Payments,
  products: ReadonlySet<string>,
  disputes: readonly DisputedPayment[] = [],
): Coverage {
  let paidUntil: number | null = null;
  let isRefunded = false;
  for (const invoice of invoices) {
    const until = paidUntilBy(invoice, invoices, products);
    if (until === null || until < (paidUntil ?? 0)) continue;
    const wasRefunded = isRefundedInFull(invoice, payments);
    isRefunded = until === paidUntil ? isRefunded && wasRefunded : wasRefunded;
    paidUntil = until;
  }
  if (disputes.some(isHarmful)) {
    return { paidUntil, revoked: "dispute" };
  }
  return { paidUntil, revoked: isRefunded ? "refund" : null };
}

/** The full refund of a subscription's last payment. */
export type FullRefund = {
  chargeId: string;
  /** In Stripe's minor unit of the currency. */
  amount: number;
  currency: string;
  /** When it was refunded. */
  at: Date;
};

/**
 * Returns the full refund of the last period's payment. Null if it was not refunded, or if the charges were listed
 * without refunds.
 */
export function fullRefundOf(
  invoices: readonly Stripe.Invoice[],
  payments: Payments,
  products: ReadonlySet<string>,
): FullRefund | null {
  const { paidUntil, revoked } = coverageOf(invoices, payments, products);
  if (revoked !== "refund") return null;
  const refunds = invoices
    .filter((invoice) => paidUntilBy(invoice, invoices, products) === paidUntil)
    .flatMap((invoice) => chargesOf(invoice, payments))
    .flatMap(({ id, amount_refunded, currency, refunds }) =>
      (refunds?.data ?? []).map(({ created }) => ({
        chargeId: id,
        amount: amount_refunded,
        currency,
        at: new Date(created * 1_000),
      })),
    );
  return refunds.sort((a, b) => b.at.getTime() - a.at.getTime())[0] ?? null;
}

/** Returns whether a dispute is open or lost, and more than an inquiry. */
export function isHarmful({ dispute }: DisputedPayment): boolean {
  return !HARMLESS.has(dispute.status);
}

/**
 * Returns whether a lost dispute no longer matters because the membership was paid since. That happens only if the
 * author resumed collection, or before this site handled disputes.
 */
export function isPaidSince(
  { dispute }: DisputedPayment,
  invoices: readonly Stripe.Invoice[],
): boolean {
  return (
    dispute.status === "lost" &&
    invoices.some(
      ({ amount_paid, status_transitions: { paid_at } }) =>
        amount_paid > 0 && (paid_at ?? 0) > dispute.created,
    )
  );
}

/** Returns the charges that paid an invoice. */
export function chargesOf({ payments: paid }: Stripe.Invoice, payments: Payments): Stripe.Charge[] {
  return (paid?.data ?? []).flatMap(({ status, payment }) => {
    const reference = idOf(payment.payment_intent) ?? idOf(payment.charge);
    const charge = status === "paid" && reference ? payments.get(reference) : undefined;
    return charge ? [charge] : [];
  });
}

/** Returns whether all of an invoice's charges were refunded. One of 0, or paid outside Stripe, has none. */
function isRefundedInFull(invoice: Stripe.Invoice, payments: Payments): boolean {
  const charges = chargesOf(invoice, payments);
  return charges.length > 0 && charges.every(({ refunded }) => refunded);
}

/**
 * Adds the time that the author gives for free: a trial, as long as it lasts, and the current period while collection
 * is paused (https://docs.stripe.com/billing/subscriptions/pause-payment) or if the price is nothing. Trial invoices
 * do not count, since a trial may be ended early. A pause does not restore what a refund ended.
 */
export function withFreeTime(
  { paidUntil, revoked }: Coverage,
  { trial_end, pause_collection, metadata }: Stripe.Subscription,
  { price, current_period_end }: Stripe.SubscriptionItem,
): Coverage {
  const isGiven = (pause_collection && !metadata[PAUSED_FOR]) || price.unit_amount === 0;
  const free = Math.max(trial_end ?? 0, isGiven && !revoked ? current_period_end : 0);
  if (free <= (paidUntil ?? 0)) return { paidUntil, revoked };
  return { paidUntil: free, revoked: revoked === "dispute" ? revoked : null };
}

/** Returns whether a bank debit for an invoice is on its way. */
export function hasPendingDebit(
  invoice: Stripe.Invoice | null,
  charges: readonly Stripe.Charge[],
): boolean {
  const intents = new Set(
    invoice?.payments?.data.map(({ payment }) => idOf(payment.payment_intent)),
  );
  return charges.some(({ status, payment_intent }) => {
    return status === "pending" && payment_intent !== null && intents.has(idOf(payment_intent));
  });
}

/** Returns the lines for our products, of a price or, if negative, the credit for unused time. */
function linesFor(
  { lines }: Stripe.Invoice,
  products: ReadonlySet<string>,
): Stripe.InvoiceLineItem[] {
  return lines.data.filter(({ pricing }) => products.has(pricing?.price_details?.product ?? ""));
}

/** Returns the end of the last period of our products on an invoice. Free periods and credits do not count. */
function coveredUntil(invoice: Stripe.Invoice, products: ReadonlySet<string>): number | null {
  const ends = linesFor(invoice, products).flatMap(({ amount, period }) =>
    amount > 0 ? [period.end] : [],
  );
  return ends.length > 0 ? Math.max(...ends) : null;
}

/**
 * Returns how far an invoice pays, without the time that a newer paid one credits, as after a change from a yearly to a
 * monthly price (https://docs.stripe.com/billing/subscriptions/prorations). Null if it is not paid.
 */
function paidUntilBy(
  invoice: Stripe.Invoice,
  invoices: readonly Stripe.Invoice[],
  products: ReadonlySet<string>,
): number | null {
  const until = invoice.status === "paid" ? coveredUntil(invoice, products) : null;
  if (until === null) return null;
  const credits = invoices
    .slice(0, invoices.indexOf(invoice))
    .filter(({ status }) => status === "paid")
    .flatMap((later) => linesFor(later, products))
    .filter(({ amount, period }) => amount < 0 && period.end >= until)
    .map(({ period }) => period.start);
  return Math.min(until, ...credits);
}

/** Returns the id in a Stripe field that holds an id, the expanded object or nothing. */
export function idOf(reference: unknown): string | null {
  if (typeof reference === "string") return reference;
  return reference && typeof reference === "object" && "id" in reference
    ? String(reference.id)
    : null;
}
