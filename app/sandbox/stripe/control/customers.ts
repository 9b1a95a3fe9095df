import { z } from "zod";
import { completeAuthentication, payInSession, settleDelayedPayment } from "../engine/checkout";
import { expireSession } from "../engine/checkout-sessions";
import { changeDefaultCard } from "../engine/customer-cards";
import { deleteCustomer } from "../engine/customer-deletion";
import { forgetCustomer, requireCustomer } from "../engine/customers";
import { settleInvoice } from "../engine/invoice-settlement";
import { intentFor } from "../engine/invoices";
import { allOf, requireObject } from "../engine/objects";
import { addPaymentMethod, attachPaymentMethod } from "../engine/payment-methods";
import { attemptPayment } from "../engine/payments";
import type { Sandbox } from "../engine/sandbox";
import { startSubscription } from "../engine/subscription-lifecycle";
import { TEST_CARDS } from "../engine/test-cards";
import type { CheckoutSession } from "../engine/wire";
import {
  actionsOn,
  type ControlAction,
  ControlError,
  card,
  flag,
  instrument,
  noInput,
} from "./action";

const onSession = actionsOn("checkoutSessions", "sessions");
const onCustomer = actionsOn("customers", "customers");

function settle(sandbox: Sandbox, session: CheckoutSession, arrived: boolean): void {
  if (settleDelayedPayment(sandbox, session, arrived)) return;
  throw new ControlError(409, `${session.id} has no delayed payment on its way.`);
}

/** The control actions for checkout sessions and customers. */
export const customerActions: ControlAction[] = [
  onSession(
    "pay",
    z.object({
      card: instrument,
      email: z.email().optional(),
      code: z.string().optional(),
      currency: z.string().optional(),
      authentication: z.enum(["complete", "fail", "leave"]).default("complete"),
    }),
    (sandbox, session, { card: used, email = null, authentication, ...choice }) => {
      const attempt = { instrument: used, email, authenticated: false, ...choice };
      let outcome = payInSession(sandbox, session, attempt);
      if (outcome.kind === "authentication" && authentication !== "leave") {
        outcome = completeAuthentication(sandbox, session, authentication === "complete");
      }
      if (outcome.kind === "closed") throw new ControlError(409, outcome.message);
      return { outcome, session };
    },
  ),
  onSession("expire", noInput, expireSession),
  onSession("settle", noInput, (sandbox, session) => settle(sandbox, session, true)),
  onSession("fail", noInput, (sandbox, session) => settle(sandbox, session, false)),

  onCustomer(
    "subscribe",
    z.object({ card, priceId: z.string().optional(), isTaxed: flag.default(false) }),
    (sandbox, { id }, { card: number, priceId, isTaxed }) => {
      const customer = requireCustomer(sandbox, id);
      const price = priceId
        ? requireObject(sandbox, "prices", priceId)
        : allOf(sandbox, "prices").find(({ recurring }) => recurring);
      if (!price) throw new ControlError(404, "There is no such price.");
      const method = addPaymentMethod(sandbox, number, customer.email);
      attachPaymentMethod(sandbox, method, id);
      const { subscription, invoice } = startSubscription(sandbox, {
        customerId: id,
        price,
        quantity: 1,
        metadata: {},
        paymentMethodId: method.id,
        isTaxed,
      });
      const intent = intentFor(sandbox, invoice);
      attemptPayment(sandbox, intent, method, { kind: "paid" });
      settleInvoice(sandbox, invoice, intent);
      return subscription;
    },
  ),
  onCustomer("card", z.object({ card }), (sandbox, { id }, { card: number }) => {
    const mustAuthenticate = TEST_CARDS[number].present.kind === "authentication";
    return changeDefaultCard(sandbox, requireCustomer(sandbox, id), number, mustAuthenticate);
  }),
  onCustomer("delete", noInput, (sandbox, { id }) =>
    deleteCustomer(sandbox, requireCustomer(sandbox, id)),
  ),
  onCustomer("forget", noInput, (sandbox, { id }) => forgetCustomer(sandbox, id)),
];
