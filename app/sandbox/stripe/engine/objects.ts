import { resourceMissing } from "./api-error";
import type { Sandbox } from "./sandbox";
import type { State } from "./state";

/** The parts of the state that keep objects of the API, and what Stripe's messages call them. */
const KINDS = {
  charges: "charge",
  checkoutSessions: "checkout.session",
  customers: "customer",
  disputes: "dispute",
  events: "event",
  invoices: "invoice",
  invoicePayments: "invoice_payment",
  paymentIntents: "payment_intent",
  paymentMethods: "PaymentMethod",
  portalConfigurations: "configuration",
  prices: "price",
  products: "product",
  refunds: "refund",
  subscriptions: "subscription",
  webhookEndpoints: "webhook endpoint",
} as const satisfies Partial<Record<keyof State, string>>;

export type Collection = keyof typeof KINDS;

export type ObjectOf<Name extends Collection> =
  State[Name] extends Map<string, infer Kept extends { id: string }> ? Kept : never;

function mapOf<Name extends Collection>({ state }: Sandbox, collection: Name) {
  return state[collection] as unknown as Map<string, ObjectOf<Name>>;
}

/** The objects of a collection, oldest first. */
export function allOf<Name extends Collection>(sandbox: Sandbox, collection: Name) {
  return [...mapOf(sandbox, collection).values()];
}

/** The error for an id that names none: 404 when it is in the URL, 400 when it is a parameter. */
export function noSuch(collection: Collection, id: string, param?: string) {
  return resourceMissing(KINDS[collection], id, param);
}

/** The object with this id, or the error of `noSuch`. */
export function requireObject<Name extends Collection>(
  sandbox: Sandbox,
  collection: Name,
  id: string,
  param?: string,
): ObjectOf<Name> {
  const found = mapOf(sandbox, collection).get(id);
  if (!found) throw noSuch(collection, id, param);
  return found;
}
