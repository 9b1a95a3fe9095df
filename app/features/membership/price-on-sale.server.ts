import { env } from "~/env.server";
import type { StripePrice } from "~db/schema";
import { PREMIUM_PRICE, type ShownPrice, shownPrice } from "./premium-price";

/** The price on sale, once loaded. It cannot become stale: a Stripe price is immutable. */
let known: StripePrice | undefined;
const listeners: (() => void)[] = [];

/**
 * Returns the price on sale from memory. Null if it is unknown or not a fixed amount: a page then shows no amount
 * rather than a wrong one. Without Stripe, and with the local Stripe, it is PREMIUM_PRICE.
 */
export function shownPriceOnSale(): ShownPrice | null {
  const { STRIPE, SANDBOX } = env();
  if (!STRIPE || SANDBOX) return shownPrice(PREMIUM_PRICE);
  return known?.id === STRIPE.priceId ? shownPrice(known) : null;
}

/** Returns whether the price on sale is known. Pages then show it, or no amount if it is not fixed. */
export function isPriceOnSaleKnown(): boolean {
  const { STRIPE, SANDBOX } = env();
  return !STRIPE || SANDBOX !== null || known?.id === STRIPE.priceId;
}

/** Calls `listener` whenever the price is loaded: pages rendered before are stale. */
export function onPriceOnSaleKnown(listener: () => void): void {
  listeners.push(listener);
}

/** Stores the price on sale in this process, once billing has loaded it. */
export function setPriceOnSale(price: StripePrice): void {
  known = price;
  for (const listener of listeners) listener();
}
