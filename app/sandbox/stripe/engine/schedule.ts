import { expireSession } from "./checkout-sessions";
import { invoicesOf } from "./invoices";
import type { Sandbox } from "./sandbox";
import { endSubscription } from "./subscription-end";
import {
  beginNextPeriod,
  collectInvoice,
  expireIncomplete,
  findProcessingInvoice,
  pauseCollection,
} from "./subscription-lifecycle";
import { isOver, isRenewing, itemOf } from "./subscriptions";
import type { Invoice, Subscription } from "./wire";

/** An action that is due at a time of the local Stripe's clock, in Unix seconds. */
type Due = { at: number; run: () => void };

const FIRST_PAYMENT_SECONDS = 23 * 3_600;
const IDEMPOTENCY_SECONDS = 86_400;

/** Runs everything due by now, in order. */
export function runDue(sandbox: Sandbox): void {
  for (let due = nextDue(sandbox); due && due.at <= sandbox.now(); due = nextDue(sandbox)) {
    due.run();
  }
  dropExpiredResponses(sandbox);
}

/**
 * Advances the local Stripe's clock by seconds. It stops wherever something is due, so renewals, retries and ends
 * happen in order and with the timestamps they would have had.
 */
export function advanceClock(sandbox: Sandbox, seconds: number): void {
  const target = sandbox.now() + seconds;
  const setTo = (moment: number) => {
    sandbox.state.clockOffset += Math.max(0, moment - sandbox.now());
  };
  for (let due = nextDue(sandbox); due && due.at <= target; due = nextDue(sandbox)) {
    setTo(due.at);
    due.run();
  }
  setTo(target);
  dropExpiredResponses(sandbox);
  sandbox.changed();
}

function nextDue(sandbox: Sandbox): Due | undefined {
  let next: Due | undefined;
  const consider = (due: Due | null) => {
    if (due && (!next || due.at < next.at)) next = due;
  };
  for (const subscription of sandbox.state.subscriptions.values()) {
    if (isOver(subscription)) continue;
    consider(dueOfSubscription(sandbox, subscription));
    const resumes = subscription.pause_collection?.resumes_at ?? null;
    if (resumes !== null) {
      consider({ at: resumes, run: () => pauseCollection(sandbox, subscription, null) });
    }
  }
  for (const invoice of sandbox.state.invoices.values()) {
    if (invoice.auto_advance) consider(dueOfInvoice(sandbox, invoice));
  }
  for (const session of sandbox.state.checkoutSessions.values()) {
    if (session.status !== "open") continue;
    consider({ at: session.expires_at, run: () => expireSession(sandbox, session) });
  }
  return next;
}

function dueOfSubscription(sandbox: Sandbox, subscription: Subscription): Due | null {
  if (subscription.status === "incomplete") {
    if (findProcessingInvoice(sandbox, subscription)) return null;
    return {
      at: subscription.created + FIRST_PAYMENT_SECONDS,
      run: () => expireIncomplete(sandbox, subscription),
    };
  }
  const periodEnd = itemOf(subscription).current_period_end;
  if (subscription.cancel_at !== null && subscription.cancel_at <= periodEnd) {
    return {
      at: subscription.cancel_at,
      run: () => endSubscription(sandbox, subscription, "cancellation_requested"),
    };
  }
  if (!isRenewing(subscription) && subscription.status !== "unpaid") return null;
  return { at: periodEnd, run: () => void beginNextPeriod(sandbox, subscription) };
}

function dueOfInvoice(sandbox: Sandbox, invoice: Invoice): Due | null {
  const at =
    invoice.status === "draft"
      ? invoice.automatically_finalizes_at
      : invoice.status === "open"
        ? invoice.next_payment_attempt
        : null;
  return at === null ? null : { at, run: () => void collectInvoice(sandbox, invoice) };
}

function dropExpiredResponses(sandbox: Sandbox): void {
  const oldest = sandbox.now() - IDEMPOTENCY_SECONDS;
  for (const [key, answer] of sandbox.state.idempotentResponses) {
    if (answer.createdAt >= oldest) break;
    sandbox.state.idempotentResponses.delete(key);
    sandbox.changed();
  }
}

/** Starts a subscription's next period now, even if the current one has not ended. */
export function renewNow(sandbox: Sandbox, subscription: Subscription): Invoice {
  const item = itemOf(subscription);
  const early = item.current_period_end - sandbox.now();
  // backdates this subscription instead of advancing the clock, which would affect the others
  if (early > 0) backdate(sandbox, subscription, early);
  return beginNextPeriod(sandbox, subscription);
}

/**
 * Shifts a subscription and its invoices into the past by seconds. The site has its own clock, so advancing the local
 * Stripe's clock makes nothing expire there; this does.
 */
export function backdate(sandbox: Sandbox, subscription: Subscription, seconds: number): void {
  const item = itemOf(subscription);
  moveBack(subscription, seconds, [
    "created",
    "start_date",
    "cancel_at",
    "canceled_at",
    "ended_at",
    "trial_start",
    "trial_end",
  ]);
  moveBack(item, seconds, ["created", "current_period_start", "current_period_end"]);
  // later periods follow from this one: the former day of the month no longer applies
  subscription.billing_cycle_anchor = item.current_period_end;
  for (const invoice of invoicesOf(sandbox, subscription)) {
    moveBack(invoice, seconds, ["created", "period_start", "period_end", "effective_at"]);
    moveBack(invoice, seconds, ["automatically_finalizes_at", "next_payment_attempt"]);
    const { status_transitions: moments } = invoice;
    moveBack(moments, seconds, ["finalized_at", "paid_at", "marked_uncollectible_at", "voided_at"]);
    for (const { period } of invoice.lines.data) moveBack(period, seconds, ["start", "end"]);
  }
  sandbox.changed();
}

/** Moves those of an object's given timestamps that it has into the past. */
function moveBack<Target extends object>(
  object: Target,
  seconds: number,
  names: (keyof Target)[],
): void {
  const moments = object as Record<keyof Target, unknown>;
  for (const name of names) {
    const moment = moments[name];
    if (typeof moment === "number") moments[name] = moment - seconds;
  }
}
