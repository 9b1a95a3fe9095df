import { update } from "./events";
import { invoicesOf } from "./invoices";
import { addPaymentMethod, attachPaymentMethod } from "./payment-methods";
import type { Sandbox } from "./sandbox";
import { payOpenInvoice } from "./subscription-lifecycle";
import { isOver } from "./subscriptions";
import { type BankAccount, chargeOutcome, type TestCard } from "./test-cards";
import type { Customer, Invoice, Subscription } from "./wire";

export type CardOutcome =
  | { kind: "complete" }
  | { kind: "declined"; message: string }
  | { kind: "authentication" };

/** Returns a customer's subscriptions that have not ended, oldest first. */
export function runningSubscriptions(sandbox: Sandbox, customerId: string): Subscription[] {
  return [...sandbox.state.subscriptions.values()].filter(
    (subscription) => subscription.customer === customerId && !isOver(subscription),
  );
}

/** Returns the open invoices of a customer's running subscriptions. */
export function owedInvoices(sandbox: Sandbox, customerId: string): Invoice[] {
  return runningSubscriptions(sandbox, customerId)
    .flatMap((subscription) => invoicesOf(sandbox, subscription))
    .filter(({ status }) => status === "open");
}

/**
 * Makes a card the customer's default, as the portal does, by setting
 * `customer.invoice_settings.default_payment_method` (docs.stripe.com/customer-management/portal-deep-links). A
 * subscription with its own payment method, as set by Checkout, is still charged to that
 * (docs.stripe.com/billing/revenue-recovery/smart-retries, "Payment method ordering"). Stripe's docs do not say that
 * open invoices are paid right away. A declined card changes nothing.
 */
export function changeDefaultCard(
  sandbox: Sandbox,
  customer: Customer,
  card: TestCard,
  authenticated: boolean,
): CardOutcome {
  const outcome = authenticated ? ({ kind: "paid" } as const) : chargeOutcome(card, true);
  if (outcome.kind === "authentication") return { kind: "authentication" };
  if (outcome.kind === "declined") return { kind: "declined", message: outcome.message };
  const method = addPaymentMethod(sandbox, card, customer.email);
  attachPaymentMethod(sandbox, method, customer.id);
  update(sandbox, "customer.updated", customer, {
    invoice_settings: { ...customer.invoice_settings, default_payment_method: method.id },
  });
  return { kind: "complete" };
}

/** Sets a subscription's own default card or bank account, without charging it. */
export function pinCard(
  sandbox: Sandbox,
  subscription: Subscription,
  card: TestCard | BankAccount,
): void {
  const method = addPaymentMethod(sandbox, card, null);
  attachPaymentMethod(sandbox, method, subscription.customer);
  update(sandbox, "customer.subscription.updated", subscription, {
    default_payment_method: method.id,
  });
}

/**
 * Pays one invoice with a card, as on its hosted page. Later charges still go to the former card: a subscription
 * adopts the card it was paid with only if `payment_settings.save_default_payment_method` is not `off`, its default.
 */
export function payWithCard(
  sandbox: Sandbox,
  customer: Customer,
  invoice: Invoice,
  card: TestCard,
  authenticated: boolean,
): CardOutcome {
  const outcome = authenticated ? ({ kind: "paid" } as const) : chargeOutcome(card, true);
  if (outcome.kind === "authentication") return { kind: "authentication" };
  const method = addPaymentMethod(sandbox, card, customer.email);
  payOpenInvoice(sandbox, invoice, method, outcome);
  if (outcome.kind === "declined") return { kind: "declined", message: outcome.message };
  attachPaymentMethod(sandbox, method, customer.id);
  return { kind: "complete" };
}
