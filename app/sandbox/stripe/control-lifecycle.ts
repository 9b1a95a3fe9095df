import { z } from "zod";
import { replaceCard } from "./card-repair";
import { answerAuthentication, payInSession, settleDelayedPayment } from "./checkout";
import { expireSession } from "./checkout-sessions";
import { action, type ControlAction } from "./control-action";
import { ControlError } from "./control-error";
import { deleteCustomer } from "./customer-endpoints";
import { isPresent } from "./customers";
import { closeDispute, disputeCharge } from "./disputes";
import { invoicesOf } from "./invoices";
import { addPaymentMethod, attachPaymentMethod } from "./payment-methods";
import { attemptPayment } from "./payments";
import { refundCharge } from "./refunds";
import type { Sandbox } from "./sandbox";
import { age, renewNow, runDue } from "./schedule";
import {
  collectInvoice,
  endSubscription,
  giveUp,
  intentFor,
  pauseSubscription,
  resumeSubscription,
  setCancelAtPeriodEnd,
  settleInvoice,
  startSubscription,
} from "./subscription-lifecycle";
import { isOver, isRenewing } from "./subscriptions";
import { BANK_ACCOUNT, type ChargeOutcome, TEST_CARDS, type TestCard } from "./test-cards";
import type { Charge, CheckoutSession, Customer, Subscription } from "./wire";

const nothing = z.object({});
const cards = Object.keys(TEST_CARDS) as [TestCard, ...TestCard[]];
const card = z
  .string()
  .transform((number) => number.replace(/\s/g, ""))
  .pipe(z.enum(cards))
  .default("4242424242424242");

const FORCED: Record<string, ChargeOutcome> = {
  paid: { kind: "paid" },
  authentication: { kind: "authentication" },
  declined: {
    kind: "declined",
    code: "card_declined",
    declineCode: "generic_decline",
    message: "Your card was declined.",
  },
};

function sessionOf(sandbox: Sandbox, id: string): CheckoutSession {
  const session = sandbox.state.checkoutSessions.get(id);
  if (!session) throw new ControlError(404, `There is no checkout session ${id}.`);
  return session;
}

function customerOf(sandbox: Sandbox, id: string): Customer {
  const customer = sandbox.state.customers.get(id);
  if (!isPresent(customer)) throw new ControlError(404, `There is no customer ${id}.`);
  return customer;
}

function subscriptionOf(sandbox: Sandbox, id: string): Subscription {
  const subscription = sandbox.state.subscriptions.get(id);
  if (!subscription) throw new ControlError(404, `There is no subscription ${id}.`);
  return subscription;
}

function runningSubscription(sandbox: Sandbox, id: string): Subscription {
  const subscription = subscriptionOf(sandbox, id);
  if (isOver(subscription)) throw new ControlError(409, `${id} is ${subscription.status}.`);
  return subscription;
}

/** The last payment of a subscription that went through. */
function lastPayment(sandbox: Sandbox, subscription: Subscription): Charge {
  const invoices = new Set(invoicesOf(sandbox, subscription).map(({ id }) => id));
  const payments = [...sandbox.state.invoicePayments.values()].filter(({ invoice }) =>
    invoices.has(invoice),
  );
  const intent = sandbox.state.paymentIntents.get(payments.at(-1)?.payment.payment_intent ?? "");
  const charge = sandbox.state.charges.get(intent?.latest_charge ?? "");
  if (!charge) throw new ControlError(409, `${subscription.id} has not been paid.`);
  return charge;
}

const sessionActions: ControlAction[] = [
  action(
    "POST",
    "/_control/sessions/:id/pay",
    z.object({
      card: z.union([z.literal(BANK_ACCOUNT), card]).default("4242424242424242"),
      email: z.email().optional(),
      authentication: z.enum(["complete", "fail", "leave"]).default("complete"),
    }),
    ({ sandbox }, id, { card: instrument, email, authentication }) => {
      const session = sessionOf(sandbox, id);
      let outcome = payInSession(sandbox, session, {
        instrument,
        email: email ?? null,
        authenticated: false,
      });
      if (outcome.kind === "authentication" && authentication !== "leave") {
        outcome = answerAuthentication(sandbox, session, authentication === "complete");
      }
      if (outcome.kind === "closed") throw new ControlError(409, outcome.message);
      return { outcome, session };
    },
  ),
  action("POST", "/_control/sessions/:id/expire", nothing, ({ sandbox }, id) => {
    const session = sessionOf(sandbox, id);
    expireSession(sandbox, session);
    return session;
  }),
  ...(["settle", "fail"] as const).map((end) =>
    action("POST", `/_control/sessions/:id/${end}`, nothing, ({ sandbox }, id) => {
      const session = sessionOf(sandbox, id);
      if (!settleDelayedPayment(sandbox, session, end === "settle")) {
        throw new ControlError(409, `${id} has no delayed payment on its way.`);
      }
      return session;
    }),
  ),
];

const customerActions: ControlAction[] = [
  action(
    "POST",
    "/_control/customers/:id/subscribe",
    z.object({ card, priceId: z.string().optional() }),
    ({ sandbox }, id, { card: number, priceId }) => {
      const customer = customerOf(sandbox, id);
      const price = priceId
        ? sandbox.state.prices.get(priceId)
        : [...sandbox.state.prices.values()].find(({ recurring }) => recurring);
      if (!price) throw new ControlError(404, "There is no such price.");
      const method = addPaymentMethod(sandbox, number, customer.email);
      attachPaymentMethod(sandbox, method, customer.id);
      const { subscription, invoice } = startSubscription(sandbox, {
        customerId: customer.id,
        price,
        quantity: 1,
        metadata: {},
        description: null,
        paymentMethodId: method.id,
      });
      const intent = intentFor(sandbox, invoice);
      attemptPayment(sandbox, intent, method, { kind: "paid" });
      settleInvoice(sandbox, invoice, intent);
      return subscription;
    },
  ),
  action(
    "POST",
    "/_control/customers/:id/card",
    z.object({ card }),
    ({ sandbox }, id, { card: number }) =>
      replaceCard(
        sandbox,
        customerOf(sandbox, id),
        number,
        TEST_CARDS[number].present.kind === "authentication",
      ),
  ),
  action("POST", "/_control/customers/:id/delete", nothing, ({ sandbox }, id) =>
    deleteCustomer(sandbox, customerOf(sandbox, id)),
  ),
];

const subscriptionActions: ControlAction[] = [
  action(
    "POST",
    "/_control/subscriptions/:id/renew",
    z.object({
      outcome: z.enum(["card", "paid", "declined", "authentication", "draft"]).default("card"),
    }),
    ({ sandbox }, id, { outcome }) => {
      const subscription = subscriptionOf(sandbox, id);
      if (!isRenewing(subscription)) throw new ControlError(409, `${id} does not renew.`);
      const invoice = renewNow(sandbox, subscription);
      if (outcome !== "draft") collectInvoice(sandbox, invoice, FORCED[outcome]);
      return { subscription, invoice };
    },
  ),
  action("POST", "/_control/subscriptions/:id/recover", nothing, ({ sandbox }, id) => {
    const subscription = runningSubscription(sandbox, id);
    const owed = invoicesOf(sandbox, subscription).filter(({ status }) => status === "open");
    if (owed.length === 0) throw new ControlError(409, `${id} owes nothing.`);
    for (const invoice of owed) collectInvoice(sandbox, invoice, FORCED.paid);
    return subscription;
  }),
  action(
    "POST",
    "/_control/subscriptions/:id/give-up",
    z.object({ afterRetries: z.enum(["cancel", "unpaid", "past_due"]).optional() }),
    ({ sandbox }, id, { afterRetries }) => {
      const subscription = runningSubscription(sandbox, id);
      const usual = sandbox.state.afterRetries;
      sandbox.state.afterRetries = afterRetries ?? usual;
      giveUp(sandbox, subscription);
      sandbox.state.afterRetries = usual;
      return subscription;
    },
  ),
  action("POST", "/_control/subscriptions/:id/cancel-at-period-end", nothing, (context, id) => {
    const subscription = runningSubscription(context.sandbox, id);
    setCancelAtPeriodEnd(context.sandbox, subscription, true);
    return subscription;
  }),
  action("POST", "/_control/subscriptions/:id/resume", nothing, ({ sandbox }, id) => {
    const subscription = runningSubscription(sandbox, id);
    if (subscription.status === "paused") resumeSubscription(sandbox, subscription);
    else setCancelAtPeriodEnd(sandbox, subscription, false);
    return subscription;
  }),
  action("POST", "/_control/subscriptions/:id/cancel", nothing, ({ sandbox }, id) => {
    const subscription = runningSubscription(sandbox, id);
    endSubscription(sandbox, subscription, "cancellation_requested");
    return subscription;
  }),
  action("POST", "/_control/subscriptions/:id/pause", nothing, ({ sandbox }, id) => {
    const subscription = runningSubscription(sandbox, id);
    if (subscription.status === "paused") throw new ControlError(409, `${id} is paused.`);
    pauseSubscription(sandbox, subscription);
    return subscription;
  }),
  action(
    "POST",
    "/_control/subscriptions/:id/age",
    z.object({ days: z.coerce.number().min(0).max(4_000) }),
    ({ sandbox }, id, { days }) => {
      const subscription = subscriptionOf(sandbox, id);
      age(sandbox, subscription, Math.round(days * 86_400));
      runDue(sandbox);
      return subscription;
    },
  ),
  action(
    "POST",
    "/_control/subscriptions/:id/refund",
    z.object({ amount: z.coerce.number().int().min(1).optional() }),
    ({ sandbox }, id, { amount }) =>
      refundCharge(sandbox, lastPayment(sandbox, subscriptionOf(sandbox, id)), amount),
  ),
  action("POST", "/_control/subscriptions/:id/dispute", nothing, ({ sandbox }, id) =>
    disputeCharge(sandbox, lastPayment(sandbox, subscriptionOf(sandbox, id))),
  ),
  action(
    "POST",
    "/_control/disputes/:id/close",
    z.object({ won: z.union([z.boolean(), z.stringbool()]) }),
    ({ sandbox }, id, { won }) => {
      const dispute = sandbox.state.disputes.get(id);
      if (!dispute) throw new ControlError(404, `There is no dispute ${id}.`);
      closeDispute(sandbox, dispute, won);
      return dispute;
    },
  ),
];

/** What a tester can bring about in the life of customers, sessions and subscriptions. */
export const lifecycleActions: ControlAction[] = [
  ...sessionActions,
  ...customerActions,
  ...subscriptionActions,
];
