import type Stripe from "stripe";
import type { Coverage } from "./access-end-rule";

/** A dispute and the payment it is about. */
export type DisputedPayment = { dispute: Stripe.Dispute; chargeId: string };

/** A customer's charges by the ids an invoice may refer to them with: the payment intent's or their own. */
export type Payments = ReadonlyMap<string, Stripe.Charge>;

/**
 * Dispute statuses in which no money is withheld: won, prevented, or only an inquiry
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
    // Of several charges of one payment intent, only one succeeded.
    if (charge.status !== "succeeded") continue;
    payments.set(charge.id, charge);
    const intent = idOf(charge.payment_intent);
    if (intent) payments.set(intent, charge);
  }
  return payments;
}

/**
 * Whether the newest invoice alone shows that the current period is paid. It does not if it is unpaid, or for
 * something other than the period, such as an extra charge by the author.
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
 * How far a subscription is paid, from its invoices. Only `paid` counts: an invoice that was written off
 * (`uncollectible`) or voided does not, although Stripe then calls the subscription active
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
    const until = invoice.status === "paid" ? coveredUntil(invoice, products) : null;
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

/** The refund of a subscription's last payment. */
export type FullRefund = {
  chargeId: string;
  /** In Stripe's minor unit of the currency. */
  amount: number;
  currency: string;
  /** When it was refunded. */
  at: Date;
};

/**
 * The refund in full of what was paid for the last period; null if it was not refunded, or the charges were listed
 * without their refunds.
 */
export function fullRefundOf(
  invoices: readonly Stripe.Invoice[],
  payments: Payments,
  products: ReadonlySet<string>,
): FullRefund | null {
  const { paidUntil, revoked } = coverageOf(invoices, payments, products);
  if (revoked !== "refund") return null;
  const refunds = invoices
    .filter((invoice) => invoice.status === "paid" && coveredUntil(invoice, products) === paidUntil)
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

/** Whether a dispute is open or lost, and not merely an inquiry. */
export function isHarmful({ dispute }: DisputedPayment): boolean {
  return !HARMLESS.has(dispute.status);
}

/**
 * Whether a lost dispute no longer matters because its membership was paid since. That only happens where the
 * author resumed collection, or before this site handled disputes.
 */
export function isPaidSince(
  { dispute }: DisputedPayment,
  invoices: readonly Stripe.Invoice[],
): boolean {
  return (
    dispute.status === "lost" &&
    invoices.some(({ status_transitions: { paid_at } }) => (paid_at ?? 0) > dispute.created)
  );
}

/** The charges that paid an invoice. */
export function chargesOf({ payments: paid }: Stripe.Invoice, payments: Payments): Stripe.Charge[] {
  return (paid?.data ?? []).flatMap(({ status, payment }) => {
    const reference = idOf(payment.payment_intent) ?? idOf(payment.charge);
    const charge = status === "paid" && reference ? payments.get(reference) : undefined;
    return charge ? [charge] : [];
  });
}

/** Nothing was charged for an invoice of 0, or one paid outside Stripe, so nothing can have been refunded. */
function isRefundedInFull(invoice: Stripe.Invoice, payments: Payments): boolean {
  const charges = chargesOf(invoice, payments);
  return charges.length > 0 && charges.every(({ refunded }) => refunded);
}

/** End of the last period of our products on an invoice; proration credits do not count. */
function coveredUntil(invoice: Stripe.Invoice, products: ReadonlySet<string>): number | null {
  const ends = invoice.lines.data
    .filter(
      ({ amount, pricing }) => amount >= 0 && products.has(pricing?.price_details?.product ?? ""),
    )
    .map(({ period }) => period.end);
  return ends.length > 0 ? Math.max(...ends) : null;
}

/** The id in a Stripe field that holds an id, the expanded object, or nothing. */
export function idOf(reference: unknown): string | null {
  if (typeof reference === "string") return reference;
  return reference && typeof reference === "object" && "id" in reference
    ? String(reference.id)
    : null;
}
