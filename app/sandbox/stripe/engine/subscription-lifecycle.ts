import { nextPeriodEnd } from "./billing-period";
import { planOf } from "./catalogue";
import { isPresent } from "./customers";
import { emit, update } from "./events";
import {
  cancelInvoice,
  latestFinalInvoice,
  setDelinquent,
  settleInvoice,
  writeOffInvoice,
} from "./invoice-settlement";
import {
  draftInvoice,
  finalizeInvoice,
  invoicesOf,
  newInvoice,
  recordFailedAttempt,
  subscriptionOf,
  voidInvoice,
} from "./invoices";
import { addPaymentIntent, attemptPayment } from "./payments";
import type { Sandbox } from "./sandbox";
import { endSubscription, stopCollecting } from "./subscription-end";
import {
  addSubscription,
  intervalOf,
  isOver,
  itemOf,
  type SubscriptionDraft,
} from "./subscriptions";
import { type ChargeOutcome, chargeOutcome } from "./test-cards";
import type { Invoice, PaymentIntent, PaymentMethod, Price, Subscription } from "./wire";

/**
 * Days from each failed payment attempt to the next. Stripe's recommended default is 8 retries within 2 weeks
 * (docs.stripe.com/billing/revenue-recovery/smart-retries), at times chosen by its model.
 */
export const RETRY_DAYS: readonly number[] = [1, 2, 2, 2, 2, 2, 2, 1];

const DAY = 86_400;

/** Creates a subscription with its first invoice, which is open. */
export function startSubscription(
  sandbox: Sandbox,
  draft: SubscriptionDraft,
): { subscription: Subscription; invoice: Invoice } {
  const subscription = addSubscription(sandbox, draft);
  const item = itemOf(subscription);
  const invoice = draftInvoice(sandbox, subscription, item, draft.price, "subscription_create");
  subscription.latest_invoice = invoice.id;
  emit(sandbox, "customer.subscription.created", subscription);
  finalizeInvoice(sandbox, invoice);
  return { subscription, invoice };
}

/** Moves a subscription to its next period and drafts that period's invoice. */
export function beginNextPeriod(sandbox: Sandbox, subscription: Subscription): Invoice {
  const { item, price } = nextPeriodOf(sandbox, subscription);
  const invoice = draftInvoice(sandbox, subscription, item, price, "subscription_cycle");
  update(sandbox, "customer.subscription.updated", subscription, {
    items: { ...subscription.items, data: [item] },
    latest_invoice: invoice.id,
  });
  // an unpaid subscription keeps creating invoices but collects none (docs.stripe.com/billing/subscriptions/overview,
  // "Unpaid subscriptions")
  const pause: Pause | null =
    subscription.status === "unpaid"
      ? { behavior: "keep_as_draft", resumes_at: null }
      : subscription.pause_collection;
  if (pause) applyPause(sandbox, invoice, pause);
  return invoice;
}

function nextPeriodOf(sandbox: Sandbox, subscription: Subscription) {
  const former = itemOf(subscription);
  const start = former.current_period_end;
  const price = sandbox.state.prices.get(former.price.id) ?? former.price;
  const end = nextPeriodEnd(start, subscription.billing_cycle_anchor, intervalOf(price));
  return { item: { ...former, current_period_start: start, current_period_end: end }, price };
}

/** Returns the invoice of a subscription's next period, which is not stored; null if there is none. */
export function previewInvoice(sandbox: Sandbox, subscription: Subscription): Invoice | null {
  const { cancel_at } = subscription;
  const ends = cancel_at !== null && cancel_at <= itemOf(subscription).current_period_end;
  if (isOver(subscription) || ends) return null;
  const { item, price } = nextPeriodOf(sandbox, subscription);
  return newInvoice(sandbox, subscription, item, price, "subscription_cycle");
}

type Pause = NonNullable<Subscription["pause_collection"]>;

/**
 * Voids, writes off or leaves as a draft an invoice created while collection is paused
 * (docs.stripe.com/billing/subscriptions/pause-payment). The subscription stays active.
 */
function applyPause(sandbox: Sandbox, invoice: Invoice, { behavior }: Pause): void {
  if (behavior === "keep_as_draft") {
    update(sandbox, "invoice.updated", invoice, {
      auto_advance: false,
      automatically_finalizes_at: null,
    });
    return;
  }
  finalizeInvoice(sandbox, invoice);
  if (behavior === "void") cancelInvoice(sandbox, invoice);
  else writeOffInvoice(sandbox, invoice, "subscription_paused");
}

/** Returns the payment method charged for a subscription's renewals. */
function payingMethod(sandbox: Sandbox, subscription: Subscription): PaymentMethod | undefined {
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

/** Finalizes an invoice and charges it off-session. Returns the outcome, which a tester can override by `forced`. */
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

/** Creates a payment intent for an invoice's amount due. */
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
  // a written-off invoice can be paid but is not retried
  const isOwed = invoice.status === "open";
  const wait = isOwed ? RETRY_DAYS[invoice.attempt_count] : undefined;
  const next = wait === undefined ? null : sandbox.now() + wait * DAY;
  recordFailedAttempt(sandbox, invoice, next, needsAction);
  setDelinquent(sandbox, subscription.customer, true);
  if (
    isOwed &&
    subscription.status === "active" &&
    latestFinalInvoice(sandbox, subscription) === invoice
  ) {
    update(sandbox, "customer.subscription.updated", subscription, { status: "past_due" });
  }
  if (next === null && subscription.status === "past_due" && isOwed) {
    giveUp(sandbox, subscription);
  }
}

/** Applies the setting for after the last retry: cancels the subscription, marks it unpaid or leaves it past due. */
export function giveUp(
  sandbox: Sandbox,
  subscription: Subscription,
  afterRetries = sandbox.state.afterRetries,
): void {
  if (afterRetries === "cancel") {
    endSubscription(sandbox, subscription, "payment_failed");
  } else if (afterRetries === "unpaid") {
    stopCollecting(sandbox, subscription);
    update(sandbox, "customer.subscription.updated", subscription, { status: "unpaid" });
  }
}

/** Charges an open invoice on-session, with a given outcome. */
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

/** Expires a subscription whose first invoice was not paid within 23 hours, and voids the invoice. */
export function expireIncomplete(sandbox: Sandbox, subscription: Subscription): void {
  for (const invoice of invoicesOf(sandbox, subscription)) {
    if (invoice.status === "open") voidInvoice(sandbox, invoice);
  }
  update(sandbox, "customer.subscription.updated", subscription, {
    status: "incomplete_expired",
    ended_at: sandbox.now(),
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

/** Resumes a paused subscription. If its period has ended meanwhile, starts and charges a new one. */
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

/** Changes a subscription's price from its next period on, without proration. */
export function changePrice(sandbox: Sandbox, subscription: Subscription, price: Price): void {
  const item = { ...itemOf(subscription), price: structuredClone(price), plan: planOf(price) };
  update(sandbox, "customer.subscription.updated", subscription, {
    items: { ...subscription.items, data: [item] },
  });
}

/** Pauses payment collection; null resumes it. */
export function pauseCollection(
  sandbox: Sandbox,
  subscription: Subscription,
  pause: Subscription["pause_collection"],
): void {
  update(sandbox, "customer.subscription.updated", subscription, { pause_collection: pause });
}
