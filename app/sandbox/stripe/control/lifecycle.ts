import { z } from "zod";
import { completeAuthentication, payInSession, settleDelayedPayment } from "../engine/checkout";
import { expireSession } from "../engine/checkout-sessions";
import { changeDefaultCard } from "../engine/customer-cards";
import { deleteCustomer } from "../engine/customer-deletion";
import { forgetCustomer } from "../engine/customers";
import { settleInvoice } from "../engine/invoice-settlement";
import { addPaymentMethod, attachPaymentMethod } from "../engine/payment-methods";
import { attemptPayment } from "../engine/payments";
import { intentFor, startSubscription } from "../engine/subscription-lifecycle";
import { BANK_ACCOUNT, TEST_CARDS } from "../engine/test-cards";
import { action, type ControlAction } from "./action";
import { ControlError } from "./error";
import { paymentActions } from "./payments";
import { subscriptionActions } from "./subscriptions";
import { card, noInput, requireCustomer, requireSession } from "./targets";

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
      const session = requireSession(sandbox, id);
      let outcome = payInSession(sandbox, session, {
        instrument,
        email: email ?? null,
        authenticated: false,
      });
      if (outcome.kind === "authentication" && authentication !== "leave") {
        outcome = completeAuthentication(sandbox, session, authentication === "complete");
      }
      if (outcome.kind === "closed") throw new ControlError(409, outcome.message);
      return { outcome, session };
    },
  ),
  action("POST", "/_control/sessions/:id/expire", noInput, ({ sandbox }, id) => {
    const session = requireSession(sandbox, id);
    expireSession(sandbox, session);
    return session;
  }),
  ...(["settle", "fail"] as const).map((end) =>
    action("POST", `/_control/sessions/:id/${end}`, noInput, ({ sandbox }, id) => {
      const session = requireSession(sandbox, id);
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
      const customer = requireCustomer(sandbox, id);
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
      changeDefaultCard(
        sandbox,
        requireCustomer(sandbox, id),
        number,
        TEST_CARDS[number].present.kind === "authentication",
      ),
  ),
  action("POST", "/_control/customers/:id/delete", noInput, ({ sandbox }, id) =>
    deleteCustomer(sandbox, requireCustomer(sandbox, id)),
  ),
  action("POST", "/_control/customers/:id/forget", noInput, ({ sandbox }, id) => {
    if (!sandbox.state.customers.has(id))
      throw new ControlError(404, `There is no customer ${id}.`);
    forgetCustomer(sandbox, id);
    return { id };
  }),
];

/** The control actions for sessions, customers, subscriptions and payments. */
export const lifecycleActions: ControlAction[] = [
  ...sessionActions,
  ...customerActions,
  ...subscriptionActions,
  ...paymentActions,
];
