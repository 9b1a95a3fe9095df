import { isPresent } from "./customers";
import { update } from "./events";
import {
  invoicesOf,
  markUncollectible,
  payInvoice,
  subscriptionOf,
  voidInvoice,
  type WriteOffReason,
} from "./invoices";
import type { Sandbox } from "./sandbox";
import { isOver } from "./subscriptions";
import type { Invoice, PaymentIntent, Subscription } from "./wire";

/** Marks an invoice as paid by an intent, null if nothing is due, and updates its subscription and customer. */
export function settleInvoice(
  sandbox: Sandbox,
  invoice: Invoice,
  intent: PaymentIntent | null,
): void {
  payInvoice(sandbox, invoice, intent);
  setDelinquent(sandbox, invoice.customer, false);
  followInvoice(sandbox, invoice);
}

/** Writes an invoice off, and updates its subscription and customer. */
export function writeOffInvoice(
  sandbox: Sandbox,
  invoice: Invoice,
  reason: WriteOffReason = "user_forgiven",
): void {
  markUncollectible(sandbox, invoice, reason);
  setDelinquent(sandbox, invoice.customer, false);
  followInvoice(sandbox, invoice);
}

/** Voids an invoice, and updates its subscription. */
export function cancelInvoice(sandbox: Sandbox, invoice: Invoice): void {
  voidInvoice(sandbox, invoice);
  followInvoice(sandbox, invoice);
}

/** Returns a subscription's newest invoice that is neither a draft nor void. */
export function latestFinalInvoice(
  sandbox: Sandbox,
  subscription: Subscription,
): Invoice | undefined {
  return invoicesOf(sandbox, subscription).findLast(
    ({ status }) => status !== "draft" && status !== "void",
  );
}

/**
 * Updates a subscription's status, which depends on its latest invoice alone. Paying that, or writing it off while
 * `past_due`, makes the subscription active even if older ones are open. While it is a draft nothing changes
 * (docs.stripe.com/billing/subscriptions/overview, "Subscription statuses"). For a void invoice, which Stripe does
 * not document, the previous one is assumed to decide.
 */
function followInvoice(sandbox: Sandbox, invoice: Invoice): void {
  const subscription = sandbox.state.subscriptions.get(subscriptionOf(invoice) ?? "");
  if (!subscription || isOver(subscription)) return;
  if (subscription.status === "paused" || subscription.status === "trialing") return;
  const latest = invoicesOf(sandbox, subscription).findLast(({ status }) => status !== "void");
  const isLate = subscription.status === "past_due";
  const isSettled =
    latest === undefined
      ? isLate
      : latest.status === "paid" || (latest.status === "uncollectible" && isLate);
  if (!isSettled) return;
  update(sandbox, "customer.subscription.updated", subscription, { status: "active" });
}

/**
 * Sets `delinquent`, which follows the latest change of any invoice. A failed automatic payment sets it; paying or
 * writing off any invoice clears it (stripe-node's type of `Customer.delinquent`).
 */
export function setDelinquent(
  sandbox: Sandbox,
  customerId: string | null,
  delinquent: boolean,
): void {
  const customer = sandbox.state.customers.get(customerId ?? "");
  if (!isPresent(customer)) return;
  update(sandbox, "customer.updated", customer, { delinquent: delinquent });
}
