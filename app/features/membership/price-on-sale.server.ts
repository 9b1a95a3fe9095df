import { env } from "~/env.server";
import type { StripePrice } from "~db/schema";
import { PREMIUM_PRICE, type ShownPrice, shownPrice } from "./premium-price";

/** The price on sale as this process knows it; at Stripe nothing of it can change. */
let known: StripePrice | undefined;
const listeners: (() => void)[] = [];

/**
 * The price on sale as pages show it, from memory. Null while it is not known or is no plain amount: a page
 * names no amount then rather than a wrong one. Without Stripe, and at the local one, it is the usual price.
 */
export function shownPriceOnSale(): ShownPrice | null {
  const { STRIPE, SANDBOX } = env();
  if (!STRIPE || SANDBOX) return shownPrice(PREMIUM_PRICE);
  return known?.id === STRIPE.priceId ? shownPrice(known) : null;
}

/** Calls `listener` when the price becomes known, after which pages made before are out of date. */
export function onPriceOnSaleKnown(listener: () => void): void {
  listeners.push(listener);
}

/** Tells this process the price on sale, once billing has learnt it. */
export function setPriceOnSale(price: StripePrice): void {
  known = price;
  for (const listener of listeners) listener();
}
