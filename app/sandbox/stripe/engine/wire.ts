import { randomInt } from "node:crypto";
import type Stripe from "stripe";

type Scalar = string | number | bigint | boolean | null | undefined;

/**
 * A stripe-node type as sent over the network: decimals are strings there and `Decimal` objects only inside
 * stripe-node.
 */
export type Wire<T> = T extends Scalar
  ? T
  : T extends Stripe.Decimal
    ? string
    : T extends (infer Item)[]
      ? Wire<Item>[]
      : { [Key in keyof T]: Wire<T[Key]> };

/** Like `Wire`, with every expandable reference as an id: the shape stored by the local Stripe. */
export type Stored<T> = T extends Scalar
  ? T
  : T extends Stripe.Decimal
    ? string
    : T extends (infer Item)[]
      ? StoredField<Item>[]
      : { [Key in keyof T]: StoredField<T[Key]> };

type StoredField<Value> = string extends Value ? Extract<Value, Scalar> : Stored<Value>;

export type Customer = Stored<Stripe.Customer>;
export type DeletedCustomer = Stored<Stripe.DeletedCustomer>;
export type Product = Stored<Stripe.Product>;
export type Price = Stored<Stripe.Price>;
export type Plan = Stored<Stripe.Plan>;
export type CheckoutSession = Stored<Stripe.Checkout.Session>;
export type Subscription = Stored<Stripe.Subscription>;
export type SubscriptionItem = Stored<Stripe.SubscriptionItem>;
export type Invoice = Stored<Stripe.Invoice>;
export type PaymentMethod = Stored<Stripe.PaymentMethod>;
export type PaymentIntent = Stored<Stripe.PaymentIntent>;
export type Charge = Stored<Stripe.Charge>;
export type InvoicePayment = Stored<Stripe.InvoicePayment>;
export type Refund = Stored<Stripe.Refund>;
export type Dispute = Stored<Stripe.Dispute>;
export type WebhookEndpoint = Stored<Stripe.WebhookEndpoint>;
export type PortalConfiguration = Stored<Stripe.BillingPortal.Configuration>;
export type PortalSession = Stored<Stripe.BillingPortal.Session>;

export type EventType = Stripe.Event["type"];

/** The `data.object` of an event type, as stored by the local Stripe. */
export type EventObject<Type extends EventType> = Stored<
  Extract<Stripe.Event, { type: Type }>["data"]["object"]
>;

/** An event as stored by the local Stripe. This types the envelope, `emit` the `data.object`. */
export type Event = Omit<Stored<Stripe.EventBase>, "data" | "type"> & {
  type: EventType;
  data: { object: object; previous_attributes?: object };
};

type Names<Text extends string, Found = never> = Text extends `${infer First} ${infer Rest}`
  ? Names<Rest, Found | First>
  : Found | Text;

/** Returns fields that the local Stripe leaves null. Names are separated by spaces. */
export function nulls<Text extends string>(...texts: Text[]): Record<Names<Text>, null> {
  const names = texts.flatMap((text) => text.split(" "));
  return Object.fromEntries(names.map((name) => [name, null])) as Record<Names<Text>, null>;
}

/** Copies fields from another object. Names are separated by spaces. */
export function pick<From extends object, Text extends string>(
  from: From,
  ...texts: Text[]
): Pick<From, Names<Text> & keyof From> {
  const names = texts.flatMap((text) => text.split(" "));
  const all = Object.entries(from).filter(([name]) => names.includes(name));
  return Object.fromEntries(all) as Pick<From, Names<Text> & keyof From>;
}

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Creates an id in Stripe's format: a prefix such as `cus`, an underscore, random letters and digits. */
export function newId(prefix: string, length = 24): string {
  let random = "";
  for (let index = 0; index < length; index += 1) random += ALPHABET[randomInt(ALPHABET.length)];
  return `${prefix}_${random}`;
}

/** Creates a list object that contains all items. */
export function wholeList<Item>(
  url: string,
  data: Item[],
): { object: "list"; data: Item[]; has_more: boolean; url: string } {
  return { object: "list", data, has_more: false, url };
}
