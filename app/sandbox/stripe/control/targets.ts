import { z } from "zod";
import { isPresent } from "../engine/customers";
import { invoicesOf } from "../engine/invoices";
import type { Sandbox } from "../engine/sandbox";
import { isOver } from "../engine/subscriptions";
import { TEST_CARDS, type TestCard } from "../engine/test-cards";
import type { Charge, CheckoutSession, Customer, Subscription } from "../engine/wire";
import { ControlError } from "./error";

/** The input of an action that takes none. */
export const noInput = z.object({});
/** A whole number from 0 on. */
export const count = z.coerce.number().int().min(0);

/** A boolean, also as a form sends it. */
export const flag = z.union([z.boolean(), z.stringbool()]);

const cards = Object.keys(TEST_CARDS) as [TestCard, ...TestCard[]];
/** A test card's number, with or without spaces. */
export const card = z
  .string()
  .transform((number) => number.replace(/\s/g, ""))
  .pipe(z.enum(cards))
  .default("4242424242424242");

/** The session, or a 404. */
export function requireSession(sandbox: Sandbox, id: string): CheckoutSession {
  const session = sandbox.state.checkoutSessions.get(id);
  if (!session) throw new ControlError(404, `There is no checkout session ${id}.`);
  return session;
}

/** The customer, or a 404. */
export function requireCustomer(sandbox: Sandbox, id: string): Customer {
  const customer = sandbox.state.customers.get(id);
  if (!isPresent(customer)) throw new ControlError(404, `There is no customer ${id}.`);
  return customer;
}

/** The subscription, or a 404. */
export function requireSubscription(sandbox: Sandbox, id: string): Subscription {
  const subscription = sandbox.state.subscriptions.get(id);
  if (!subscription) throw new ControlError(404, `There is no subscription ${id}.`);
  return subscription;
}

/** The subscription, or a 409 when it is over. */
export function requireRunningSubscription(sandbox: Sandbox, id: string): Subscription {
  const subscription = requireSubscription(sandbox, id);
  if (isOver(subscription)) throw new ControlError(409, `${id} is ${subscription.status}.`);
  return subscription;
}

/** The first or last payment of a subscription that went through, or a 409. */
export function requirePayment(
  sandbox: Sandbox,
  subscription: Subscription,
  which: "first" | "last",
): Charge {
  const invoices = new Set(invoicesOf(sandbox, subscription).map(({ id }) => id));
  const payments = [...sandbox.state.invoicePayments.values()].filter(({ invoice }) =>
    invoices.has(invoice),
  );
  const intent = sandbox.state.paymentIntents.get(
    payments.at(which === "first" ? 0 : -1)?.payment.payment_intent ?? "",
  );
  const charge = sandbox.state.charges.get(intent?.latest_charge ?? "");
  if (!charge) throw new ControlError(409, `${subscription.id} has not been paid.`);
  return charge;
}
