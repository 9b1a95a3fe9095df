import { nextPeriodEnd } from "./calendar";
import { isPresent } from "./customers";
import { emit, update } from "./events";
import {
  draftInvoice,
  finalizeInvoice,
  invoicesOf,
  noteFailedAttempt,
  payInvoice,
  subscriptionOf,
  voidInvoice,
} from "./invoices";
import { addPaymentIntent, attemptPayment } from "./payments";
import type { Sandbox } from "./sandbox";
import {
  addSubscription,
  intervalOf,
  isOver,
  itemOf,
  type SubscriptionDraft,
} from "./subscriptions";
import { type ChargeOutcome, chargeOutcome } from "./test-cards";
import type { Invoice, PaymentIntent, PaymentMethod, Subscription } from "./wire";

/** Days after which a failed payment is tried again; after the last one Stripe gives up. */
export const RETRY_DAYS = [3, 5, 7];

const DAY = 86_400;

/** Starts a subscription that waits for its first invoice, which is open. */
export function startSubscription(
  sandbox: Sandbox,
  draft: SubscriptionDraft,
): { subscription: Subscription; invoice: Invoice } {
  const subscription = addSubscription(sandbox, draft);
  const invoice = draftInvoice(sandbox, subscription, draft.price, "subscription_create");
  subscription.latest_invoice = invoice.id;
  emit(sandbox, "customer.subscription.created", subscription);
  finalizeInvoice(sandbox, invoice);
  return { subscription, invoice };
}

/** Books a succeeded intent on an invoice, and what follows from it for subscription and customer. */
export function settleInvoice(sandbox: Sandbox, invoice: Invoice, intent: PaymentIntent): void {
  payInvoice(sandbox, invoice, intent);
  const subscription = sandbox.state.subscriptions.get(subscriptionOf(invoice) ?? "");
  if (!subscription || isOver(subscription)) return;
  const owes = invoicesOf(sandbox, subscription).some(({ status }) => status === "open");
  if (!owes && subscription.status !== "paused") {
    update(sandbox, "customer.subscription.updated", subscription, () => {
      subscription.status = "active";
    });
  }
  setDelinquent(sandbox, subscription.customer, owes);
}

function setDelinquent(sandbox: Sandbox, customerId: string, delinquent: boolean): void {
  const customer = sandbox.state.customers.get(customerId);
  if (!isPresent(customer)) return;
  update(sandbox, "customer.updated", customer, () => {
    customer.delinquent = delinquent;
  });
}

/** Moves a subscription to its next period and drafts that period's invoice. */
export function beginNextPeriod(sandbox: Sandbox, subscription: Subscription): Invoice {
  const item = itemOf(subscription);
  const start = item.current_period_end;
  const price = sandbox.state.prices.get(item.price.id) ?? item.price;
  let invoice: Invoice | undefined;
  update(sandbox, "customer.subscription.updated", subscription, () => {
    item.current_period_start = start;
    item.current_period_end = nextPeriodEnd(
      start,
      subscription.billing_cycle_anchor,
      intervalOf(price),
    );
    invoice = draftInvoice(sandbox, subscription, price, "subscription_cycle");
    subscription.latest_invoice = invoice.id;
  });
  if (!invoice) throw new Error(`Subscription ${subscription.id} did not renew.`);
  return invoice;
}

/** The payment method that a subscription's renewals are charged to. */
export function payingMethod(
  sandbox: Sandbox,
  subscription: Subscription,
): PaymentMethod | undefined {
  const customer = sandbox.state.customers.get(subscription.customer);
  const fallback = isPresent(customer) ? customer.invoice_settings.default_payment_method : null;
  return sandbox.state.paymentMethods.get(subscription.default_payment_method ?? fallback ?? "");
}

const NO_METHOD: ChargeOutcome = {
  kind: "declined",
  code: "missing",
  declineCode: "missing",
  message: "This customer has no attached payment source or default payment method.",
};

/**
 * Finalizes an invoice and charges it to the subscription's payment method with nobody present.
 * `forced` is an outcome that a tester wants instead of the card's own. Returns how it came out.
 */
export function collectInvoice(
  sandbox: Sandbox,
  invoice: Invoice,
  forced?: ChargeOutcome,
): ChargeOutcome {
  const subscription = sandbox.state.subscriptions.get(subscriptionOf(invoice) ?? "");
  if (!subscription) throw new Error(`Invoice ${invoice.id} has no subscription.`);
  finalizeInvoice(sandbox, invoice);
  const method = payingMethod(sandbox, subscription);
  const instrument = method && sandbox.state.instruments.get(method.id);
  const outcome = forced ?? (instrument ? chargeOutcome(instrument, false) : NO_METHOD);
  const intent = intentFor(sandbox, invoice);
  if (method) attemptPayment(sandbox, intent, method, outcome);
  if (outcome.kind === "paid" && method) settleInvoice(sandbox, invoice, intent);
  else failCollection(sandbox, subscription, invoice, outcome.kind === "authentication");
  return method ? outcome : NO_METHOD;
}

/** An intent for the amount of an invoice. */
export function intentFor(sandbox: Sandbox, invoice: Invoice): PaymentIntent {
  return addPaymentIntent(sandbox, {
    customerId: invoice.customer ?? "",
    amount: invoice.amount_due,
    currency: invoice.currency,
    description:
      invoice.billing_reason === "subscription_create"
        ? "Subscription creation"
        : "Subscription update",
  });
}

function failCollection(
  sandbox: Sandbox,
  subscription: Subscription,
  invoice: Invoice,
  needsAction: boolean,
): void {
  const wait = RETRY_DAYS[invoice.attempt_count];
  const next = wait === undefined ? null : sandbox.now() + wait * DAY;
  noteFailedAttempt(sandbox, invoice, next, needsAction);
  setDelinquent(sandbox, subscription.customer, true);
  if (subscription.status === "active") {
    update(sandbox, "customer.subscription.updated", subscription, () => {
      subscription.status = "past_due";
    });
  }
  if (next === null) giveUp(sandbox, subscription);
}

/** What follows when nobody pays: cancelled, unpaid or left past due, as the sandbox is set. */
export function giveUp(sandbox: Sandbox, subscription: Subscription): void {
  const { afterRetries } = sandbox.state;
  if (afterRetries === "cancel") {
    endSubscription(sandbox, subscription, "payment_failed");
  } else if (afterRetries === "unpaid") {
    stopCollecting(sandbox, subscription);
    update(sandbox, "customer.subscription.updated", subscription, () => {
      subscription.status = "unpaid";
    });
  }
}

/** Charges an open invoice to a payment method whose holder is present and has authenticated. */
export function payOpenInvoice(
  sandbox: Sandbox,
  invoice: Invoice,
  method: PaymentMethod,
  outcome: ChargeOutcome,
): void {
  finalizeInvoice(sandbox, invoice);
  const intent = intentFor(sandbox, invoice);
  attemptPayment(sandbox, intent, method, outcome);
  if (outcome.kind === "paid") settleInvoice(sandbox, invoice, intent);
}

type EndReason = "cancellation_requested" | "payment_failed" | "payment_disputed";

/** Ends a subscription now. What it still owes is no longer collected. */
export function endSubscription(
  sandbox: Sandbox,
  subscription: Subscription,
  reason: EndReason,
): void {
  const now = sandbox.now();
  stopCollecting(sandbox, subscription);
  subscription.status = "canceled";
  subscription.canceled_at ??= now;
  subscription.ended_at = now;
  if (subscription.cancellation_details) subscription.cancellation_details.reason ??= reason;
  emit(sandbox, "customer.subscription.deleted", subscription);
}

function stopCollecting(sandbox: Sandbox, subscription: Subscription): void {
  for (const invoice of invoicesOf(sandbox, subscription)) {
    if (invoice.status !== "open" && invoice.status !== "draft") continue;
    update(sandbox, "invoice.updated", invoice, () => {
      invoice.auto_advance = false;
      invoice.automatically_finalizes_at = null;
      invoice.next_payment_attempt = null;
    });
  }
}

/** A first invoice that nobody paid within 23 hours: the subscription is over, the invoice void. */
export function expireIncomplete(sandbox: Sandbox, subscription: Subscription): void {
  for (const invoice of invoicesOf(sandbox, subscription)) {
    if (invoice.status === "open") voidInvoice(sandbox, invoice);
  }
  update(sandbox, "customer.subscription.updated", subscription, () => {
    subscription.status = "incomplete_expired";
    subscription.ended_at = sandbox.now();
  });
}

/** Sets or takes back the end of a subscription at the end of its period. */
export function setCancelAtPeriodEnd(
  sandbox: Sandbox,
  subscription: Subscription,
  wanted: boolean,
): void {
  update(sandbox, "customer.subscription.updated", subscription, () => {
    subscription.cancel_at_period_end = wanted;
    subscription.cancel_at = wanted ? itemOf(subscription).current_period_end : null;
    subscription.canceled_at = wanted ? sandbox.now() : null;
    if (subscription.cancellation_details) {
      subscription.cancellation_details.reason = wanted ? "cancellation_requested" : null;
    }
  });
}

/** Pauses a subscription: no periods and no invoices until it is resumed. */
export function pauseSubscription(sandbox: Sandbox, subscription: Subscription): void {
  subscription.status = "paused";
  subscription.status_details = {
    paused: {
      subscription: { type: "pause_requested" },
      transitioned_at: sandbox.now(),
      type: "subscription",
    },
  };
  emit(sandbox, "customer.subscription.paused", subscription);
}

/** Resumes a paused subscription; when its period has passed meanwhile, with a new one to pay. */
export function resumeSubscription(sandbox: Sandbox, subscription: Subscription): void {
  const item = itemOf(subscription);
  subscription.status = "active";
  delete subscription.status_details;
  emit(sandbox, "customer.subscription.resumed", subscription);
  if (item.current_period_end > sandbox.now()) return;
  subscription.billing_cycle_anchor = sandbox.now();
  item.current_period_end = sandbox.now();
  collectInvoice(sandbox, beginNextPeriod(sandbox, subscription));
}
