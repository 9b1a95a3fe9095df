import { addDiscount } from "./amounts";
import { nextPeriodEnd } from "./billing-period";
import { planOf } from "./catalog";
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
  composeInvoice,
  draftInvoice,
  finalizeInvoice,
  findIntent,
  intentFor,
  invoicesOf,
  type LineDraft,
  periodLine,
  recordFailedAttempt,
  subscriptionOf,
  voidInvoice,
} from "./invoices";
import { attemptPayment, settlePayment } from "./payments";
import type { Sandbox } from "./sandbox";
import { endSubscription, stopCollecting } from "./subscription-end";
import {
  addSubscription,
  intervalOf,
  isRenewing,
  itemOf,
  type SubscriptionDraft,
} from "./subscriptions";
import { type ChargeOutcome, chargeOutcome } from "./test-cards";
import type { Invoice, PaymentMethod, Price, Subscription } from "./wire";

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
  if (draft.coupon) subscription.discounts = [addDiscount(sandbox, subscription, draft.coupon)];
  const lines = [periodLine(sandbox, subscription, item, draft.price)];
  const invoice = draftInvoice(sandbox, subscription, item, lines, "subscription_create");
  subscription.latest_invoice = invoice.id;
  emit(sandbox, "customer.subscription.created", subscription);
  finalizeInvoice(sandbox, invoice);
  return { subscription, invoice };
}

/** Returns a subscription's item in its next period, with that period's line. */
function nextPeriod(sandbox: Sandbox, subscription: Subscription) {
  const former = itemOf(subscription);
  const start = former.current_period_end;
  const price = sandbox.state.prices.get(former.price.id) ?? former.price;
  const end = nextPeriodEnd(start, subscription.billing_cycle_anchor, intervalOf(price));
  const item = { ...former, current_period_start: start, current_period_end: end };
  return { item, lines: [periodLine(sandbox, subscription, item, price)] };
}

/** Composes a subscription's next invoice, as Stripe's preview does; null if there will be none. */
export function previewInvoice(sandbox: Sandbox, subscription: Subscription): Invoice | null {
  const { current_period_end: end } = itemOf(subscription);
  const { cancel_at } = subscription;
  if (!isRenewing(subscription) || (cancel_at !== null && cancel_at <= end)) return null;
  const { item, lines } = nextPeriod(sandbox, subscription);
  const invoice = composeInvoice(sandbox, subscription, item, lines, "upcoming", end);
  return {
    ...invoice,
    id: `upcoming_${invoice.id}`,
    next_payment_attempt: invoice.automatically_finalizes_at,
  };
}

/** Moves a subscription to its next period and drafts that period's invoice. */
export function beginNextPeriod(sandbox: Sandbox, subscription: Subscription): Invoice {
  const { item, lines } = nextPeriod(sandbox, subscription);
  const invoice = draftInvoice(sandbox, subscription, item, lines, "subscription_cycle");
  update(sandbox, "customer.subscription.updated", subscription, {
    items: { ...subscription.items, data: [item] },
    latest_invoice: invoice.id,
    ...(subscription.status === "trialing" ? { status: "active" } : {}),
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

/**
 * Finalizes an invoice and charges it off-session. Returns the outcome, which a tester can override by `forced`. A
 * payment that waits for its holder's authentication goes on waiting, unless there is another payment method.
 */
export function collectInvoice(
  sandbox: Sandbox,
  invoice: Invoice,
  forced?: ChargeOutcome,
): ChargeOutcome {
  const subscription = sandbox.state.subscriptions.get(subscriptionOf(invoice) ?? "");
  if (!subscription) throw new Error(`Invoice ${invoice.id} has no subscription.`);
  finalizeInvoice(sandbox, invoice);
  if (invoice.amount_due === 0) {
    settleInvoice(sandbox, invoice, null);
    return { kind: "paid" };
  }
  const method = payingMethod(sandbox, subscription);
  const instrument = method && sandbox.state.instruments.get(method.id);
  const intent = intentFor(sandbox, invoice);
  const isUnconfirmed = intent.status === "requires_action" && intent.payment_method === method?.id;
  const outcome =
    forced ??
    (isUnconfirmed
      ? { kind: "authentication" as const }
      : instrument
        ? chargeOutcome(instrument, false)
        : NO_METHOD);
  if (method) attemptPayment(sandbox, intent, method, outcome);
  if (outcome.kind === "paid" && method) settleInvoice(sandbox, invoice, intent);
  else if (outcome.kind === "processing" && method) {
    const attempt_count = invoice.attempt_count + 1;
    const values = { attempted: true, attempt_count, next_payment_attempt: null };
    update(sandbox, "invoice.updated", invoice, values);
  } else failCollection(sandbox, subscription, invoice, outcome.kind === "authentication");
  return method ? outcome : NO_METHOD;
}

/** Returns a subscription's invoice whose payment is processing, as a bank debit is for days. */
export function findProcessingInvoice(
  sandbox: Sandbox,
  subscription: Subscription,
): Invoice | undefined {
  return invoicesOf(sandbox, subscription).find(
    (invoice) => findIntent(sandbox, invoice)?.status === "processing",
  );
}

/** Settles or fails the payment of a subscription that is processing. Returns whether there was one. */
export function settleDebit(
  sandbox: Sandbox,
  subscription: Subscription,
  arrived: boolean,
): boolean {
  const invoice = findProcessingInvoice(sandbox, subscription);
  if (!invoice) return false;
  const intent = intentFor(sandbox, invoice);
  settlePayment(sandbox, intent, arrived);
  if (arrived) settleInvoice(sandbox, invoice, intent);
  else failCollection(sandbox, subscription, invoice, false);
  return true;
}

function failCollection(
  sandbox: Sandbox,
  subscription: Subscription,
  invoice: Invoice,
  needsAction: boolean,
): void {
  // a written-off invoice can be paid but is not retried
  const isOwed = invoice.status === "open";
  const wait = isOwed && isRenewing(subscription) ? RETRY_DAYS[invoice.attempt_count] : undefined;
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

/** The unused time of a subscription's current period, as a credit for what was paid; none if nothing was. */
function unusedTime(sandbox: Sandbox, subscription: Subscription): LineDraft[] {
  const { price, current_period_start: start, current_period_end: end } = itemOf(subscription);
  const line = invoicesOf(sandbox, subscription)
    .filter(({ status }) => status === "paid")
    .flatMap(({ lines }) => lines.data)
    .findLast(({ period, amount }) => period.end === end && amount > 0);
  if (!line) return [];
  const paid = (line.discount_amounts ?? []).reduce((net, { amount }) => net - amount, line.amount);
  const share = (end - sandbox.now()) / (end - start);
  return [{ price, amount: -Math.round(paid * share), period: { start: sandbox.now(), end } }];
}

/** Begins another period at a price now, until Unix seconds, with an invoice that is collected at once. */
function restartPeriod(
  sandbox: Sandbox,
  subscription: Subscription,
  price: Price,
  until: number,
  values: Partial<Subscription>,
): void {
  const item = {
    ...itemOf(subscription),
    price: structuredClone(price),
    plan: planOf(price),
    current_period_start: sandbox.now(),
    current_period_end: until,
  };
  const line = periodLine(sandbox, subscription, item, price);
  if (values.status === "trialing") Object.assign(line, { amount: 0, description: "Free time" });
  const lines = [...unusedTime(sandbox, subscription), line];
  const invoice = draftInvoice(sandbox, subscription, item, lines, "subscription_update");
  update(sandbox, "customer.subscription.updated", subscription, {
    items: { ...subscription.items, data: [item] },
    latest_invoice: invoice.id,
    ...values,
  });
  collectInvoice(sandbox, invoice);
}

/**
 * Gives a subscription free time until Unix seconds, from which it is billed again. Its invoice is of 0, less a credit
 * for the time that was paid (docs.stripe.com/billing/subscriptions/trials).
 */
export function giveTrial(sandbox: Sandbox, subscription: Subscription, until: number): void {
  const { price } = itemOf(subscription);
  const trial = { status: "trialing" as const, trial_start: sandbox.now(), trial_end: until };
  restartPeriod(sandbox, subscription, price, until, { ...trial, billing_cycle_anchor: until });
}

/**
 * Begins and charges a period now, with a credit for the time that was paid: at another interval's price
 * (docs.stripe.com/billing/subscriptions/change-price), or at the end of free time.
 */
export function beginPeriodNow(sandbox: Sandbox, subscription: Subscription, price: Price): void {
  const now = sandbox.now();
  const isFree = subscription.status === "trialing";
  restartPeriod(sandbox, subscription, price, nextPeriodEnd(now, now, intervalOf(price)), {
    billing_cycle_anchor: now,
    ...(isFree ? { status: "active", trial_end: now } : {}),
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
