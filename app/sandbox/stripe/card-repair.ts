import { update } from "./events";
import { invoicesOf } from "./invoices";
import { addPaymentMethod, attachPaymentMethod } from "./payment-methods";
import type { Sandbox } from "./sandbox";
import { payOpenInvoice } from "./subscription-lifecycle";
import { isOver } from "./subscriptions";
import { chargeOutcome, type TestCard } from "./test-cards";
import type { Customer, Invoice, Subscription } from "./wire";

export type RepairOutcome =
  | { kind: "complete" }
  | { kind: "declined"; message: string }
  | { kind: "authentication" };

/** The subscriptions of a customer that are not over, oldest first. */
export function runningSubscriptions(sandbox: Sandbox, customerId: string): Subscription[] {
  return [...sandbox.state.subscriptions.values()].filter(
    (subscription) => subscription.customer === customerId && !isOver(subscription),
  );
}

/** What a customer's running subscriptions still owe. */
export function owedInvoices(sandbox: Sandbox, customerId: string): Invoice[] {
  return runningSubscriptions(sandbox, customerId)
    .flatMap((subscription) => invoicesOf(sandbox, subscription))
    .filter(({ status }) => status === "open");
}

/**
 * Makes a card the one that a customer's subscriptions are charged to and pays with it what is
 * owed. A declined card changes nothing.
 */
export function replaceCard(
  sandbox: Sandbox,
  customer: Customer,
  card: TestCard,
  authenticated: boolean,
): RepairOutcome {
  const outcome = authenticated ? ({ kind: "paid" } as const) : chargeOutcome(card, true);
  if (outcome.kind === "authentication") return { kind: "authentication" };
  const method = addPaymentMethod(sandbox, card, customer.email);
  const owed = owedInvoices(sandbox, customer.id);
  if (outcome.kind === "declined") {
    for (const invoice of owed) payOpenInvoice(sandbox, invoice, method, outcome);
    return { kind: "declined", message: outcome.message };
  }
  attachPaymentMethod(sandbox, method, customer.id);
  update(sandbox, "customer.updated", customer, () => {
    customer.invoice_settings.default_payment_method = method.id;
  });
  for (const subscription of runningSubscriptions(sandbox, customer.id)) {
    update(sandbox, "customer.subscription.updated", subscription, () => {
      subscription.default_payment_method = method.id;
    });
  }
  for (const invoice of owed) payOpenInvoice(sandbox, invoice, method, outcome);
  return { kind: "complete" };
}
