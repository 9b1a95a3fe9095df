import type Stripe from "stripe";
import type { Coverage } from "./access-end-rule";

/** A dispute and the payment it is about. */
export type DisputedPayment = { dispute: Stripe.Dispute; chargeId: string };

/** A customer's payments by what an invoice names them by: their payment intent, or themselves. */
export type Payments = ReadonlyMap<string, Stripe.Charge>;

/**
 * Dispute statuses that take nothing from anybody: won, settled before it began, or only an inquiry
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
    // of several tries with one intent only one went through
    if (charge.status !== "succeeded") continue;
    payments.set(charge.id, charge);
    const intent = idOf(charge.payment_intent);
    if (intent) payments.set(intent, charge);
  }
  return payments;
}

/**
 * Whether the newest invoice alone says that the current period is settled. It does not when it is unpaid,
 * or about something else than the period, such as a charge the author added.
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
 * What is paid of a subscription, by its invoices. Only `paid` counts: an invoice that was written off
 * (`uncollectible`) or voided is not, although Stripe calls the subscription active then
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
    return { paidUntil, withdrawn: "dispute" };
  }
  return { paidUntil, withdrawn: isRefunded ? "refund" : null };
}

/** Whether a dispute is open or lost, and no mere inquiry. */
export function isHarmful({ dispute }: DisputedPayment): boolean {
  return !HARMLESS.has(dispute.status);
}

/**
 * Whether a lost dispute is over and done with because its membership was paid after it: such a payment only
 * comes where the author let collection go on, as before this site looked at disputes.
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

/** End of the last period of one of our products on an invoice; credits for what was not used do not count. */
function coveredUntil(invoice: Stripe.Invoice, products: ReadonlySet<string>): number | null {
  const ends = invoice.lines.data
    .filter(
      ({ amount, pricing }) => amount >= 0 && products.has(pricing?.price_details?.product ?? ""),
    )
    .map(({ period }) => period.end);
  return ends.length > 0 ? Math.max(...ends) : null;
}

/** The id behind a field of Stripe's that holds an id, the expanded object, or nothing. */
export function idOf(reference: unknown): string | null {
  if (typeof reference === "string") return reference;
  return reference && typeof reference === "object" && "id" in reference
    ? String(reference.id)
    : null;
}
