import { resourceMissing } from "./api-error";
import type { Sandbox } from "./sandbox";
import type { State } from "./state";

/** The state's collections of API objects, with their names in Stripe's messages. */
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

/** Returns a collection's objects, oldest first. */
export function allOf<Name extends Collection>(sandbox: Sandbox, collection: Name) {
  return [...mapOf(sandbox, collection).values()];
}

/** Creates the error for an unknown id: 404 if it is in the URL, 400 if it is a parameter. */
export function noSuch(collection: Collection, id: string, param?: string) {
  return resourceMissing(KINDS[collection], id, param);
}

/** Returns the object with this id, or throws the error of `noSuch`. */
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
