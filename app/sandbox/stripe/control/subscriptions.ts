import { z } from "zod";
import { addDiscount } from "../engine/amounts";
import { pinCard } from "../engine/customer-cards";
import { update } from "../engine/events";
import { cancelInvoice, writeOffInvoice } from "../engine/invoice-settlement";
import { invoicesOf } from "../engine/invoices";
import { requireObject } from "../engine/objects";
import type { Sandbox } from "../engine/sandbox";
import { backdate, renewNow, runDue } from "../engine/schedule";
import { endSubscription, setCancelAt } from "../engine/subscription-end";
import {
  beginPeriodNow,
  changePrice,
  collectInvoice,
  giveTrial,
  giveUp,
  pauseCollection,
  pauseSubscription,
  resumeSubscription,
  settleDebit,
} from "../engine/subscription-lifecycle";
import { isOver, isRenewing, itemOf } from "../engine/subscriptions";
import type { ChargeOutcome } from "../engine/test-cards";
import type { Invoice, Subscription } from "../engine/wire";
import { actionsOn, type ControlAction, ControlError, flag, instrument, noInput } from "./action";

const FORCED_OUTCOMES: Record<string, ChargeOutcome> = {
  paid: { kind: "paid" },
  authentication: { kind: "authentication" },
  processing: { kind: "processing" },
  declined: {
    kind: "declined",
    code: "card_declined",
    declineCode: "generic_decline",
    message: "Your card was declined.",
  },
};

const onSubscription = actionsOn("subscriptions", "subscriptions");

/** Like `onSubscription`, with a 409 for a subscription that has ended. */
const onRunning: typeof onSubscription = (name, shape, run) =>
  onSubscription(name, shape, (sandbox, subscription, input) => {
    const { id, status } = subscription;
    if (isOver(subscription)) throw new ControlError(409, `${id} is ${status}.`);
    return run(sandbox, subscription, input);
  });

/** Returns a subscription's invoices with one of these statuses, or throws a 409. */
function owedInvoices(
  sandbox: Sandbox,
  subscription: Subscription,
  statuses: Invoice["status"][] = ["open"],
): Invoice[] {
  const owed = invoicesOf(sandbox, subscription).filter(({ status }) => statuses.includes(status));
  if (owed.length === 0) throw new ControlError(409, `${subscription.id} owes nothing.`);
  return owed;
}

const days = z.coerce.number().min(0).max(4_000);
const seconds = (inDays: number) => Math.round(inDays * 86_400);

export const subscriptionActions: ControlAction[] = [
  onSubscription(
    "renew",
    z.object({
      outcome: z
        .enum(["card", "paid", "declined", "authentication", "processing", "draft"])
        .default("card"),
    }),
    (sandbox, subscription, { outcome }) => {
      if (!isRenewing(subscription)) {
        throw new ControlError(409, `${subscription.id} does not renew.`);
      }
      const invoice = renewNow(sandbox, subscription);
      if (outcome !== "draft" && !subscription.pause_collection)
        collectInvoice(sandbox, invoice, FORCED_OUTCOMES[outcome]);
      return { subscription, invoice };
    },
  ),
  onRunning("recover", noInput, (sandbox, subscription) => {
    // an unpaid subscription leaves the invoices of later periods as drafts
    const statuses: Invoice["status"][] =
      subscription.status === "unpaid" ? ["open", "draft"] : ["open"];
    for (const invoice of owedInvoices(sandbox, subscription, statuses))
      collectInvoice(sandbox, invoice, FORCED_OUTCOMES.paid);
  }),
  onSubscription("debit", z.object({ arrives: flag }), (sandbox, subscription, { arrives }) => {
    if (settleDebit(sandbox, subscription, arrives)) return;
    throw new ControlError(409, `${subscription.id} has no payment that is processing.`);
  }),
  onSubscription("write-off", noInput, (sandbox, subscription) => {
    for (const invoice of owedInvoices(sandbox, subscription)) writeOffInvoice(sandbox, invoice);
  }),
  onSubscription("void", noInput, (sandbox, subscription) => {
    for (const invoice of owedInvoices(sandbox, subscription)) cancelInvoice(sandbox, invoice);
  }),
  onRunning(
    "price",
    z.object({ priceId: z.string(), now: flag.default(false) }),
    (sandbox, subscription, { priceId, now }) => {
      const price = requireObject(sandbox, "prices", priceId);
      if (!price.recurring) throw new ControlError(404, `There is no recurring price ${priceId}.`);
      if (now) beginPeriodNow(sandbox, subscription, price);
      else changePrice(sandbox, subscription, price);
    },
  ),
  onRunning("trial", z.object({ days }), (sandbox, subscription, { days: free }) => {
    const { id, status } = subscription;
    const isPossible = free > 0 ? isRenewing(subscription) : status === "trialing";
    if (!isPossible) throw new ControlError(409, `${id} is ${status}.`);
    if (free > 0) giveTrial(sandbox, subscription, sandbox.now() + seconds(free));
    else beginPeriodNow(sandbox, subscription, itemOf(subscription).price);
  }),
  onRunning("coupon", z.object({ code: z.string() }), (sandbox, subscription, { code }) => {
    const coupon = sandbox.state.coupons.get(code);
    if (!coupon) throw new ControlError(404, `There is no coupon ${code}.`);
    const discounts = [addDiscount(sandbox, subscription, coupon)];
    update(sandbox, "customer.subscription.updated", subscription, { discounts });
  }),
  onRunning(
    "pause-collection",
    z.object({
      behavior: z.enum(["keep_as_draft", "mark_uncollectible", "void"]).default("void"),
      days: days.optional(),
    }),
    (sandbox, subscription, { behavior, days: length }) =>
      pauseCollection(sandbox, subscription, {
        behavior,
        resumes_at: length === undefined ? null : sandbox.now() + seconds(length),
      }),
  ),
  onRunning("resume-collection", noInput, (sandbox, subscription) =>
    pauseCollection(sandbox, subscription, null),
  ),
  onRunning("card", z.object({ card: instrument }), (sandbox, subscription, { card: number }) =>
    pinCard(sandbox, subscription, number),
  ),
  onRunning(
    "cancel-at",
    z.object({ days: days.positive() }),
    (sandbox, subscription, { days: after }) =>
      setCancelAt(sandbox, subscription, sandbox.now() + seconds(after)),
  ),
  onRunning(
    "give-up",
    z.object({ afterRetries: z.enum(["cancel", "unpaid", "past_due"]).optional() }),
    (sandbox, subscription, { afterRetries }) => giveUp(sandbox, subscription, afterRetries),
  ),
  onRunning("cancel-at-period-end", noInput, (sandbox, subscription) =>
    setCancelAt(sandbox, subscription, "period_end"),
  ),
  onRunning("resume", noInput, (sandbox, subscription) => {
    if (subscription.status === "paused") resumeSubscription(sandbox, subscription);
    else setCancelAt(sandbox, subscription, null);
  }),
  onRunning("cancel", noInput, (sandbox, subscription) =>
    endSubscription(sandbox, subscription, "cancellation_requested"),
  ),
  onRunning("pause", noInput, (sandbox, subscription) => {
    const { id, status } = subscription;
    if (status === "paused") throw new ControlError(409, `${id} is paused.`);
    pauseSubscription(sandbox, subscription);
  }),
  onSubscription("age", z.object({ days }), (sandbox, subscription, { days: by }) => {
    backdate(sandbox, subscription, seconds(by));
    runDue(sandbox);
  }),
];
