import { env } from "~/env.server";
import type { StripePrice } from "~db/schema";
import { PREMIUM_PRICE, type ShownPrice, shownPrice } from "./premium-price";

/** The price on sale, once loaded; never stale, since a price at Stripe is immutable. */
let known: StripePrice | undefined;
const listeners: (() => void)[] = [];

/**
 * The price on sale as pages show it, from memory. Null while it is unknown or if it is not a fixed amount: a
 * page then names no amount rather than a wrong one. Without Stripe, and with the sandbox, it is PREMIUM_PRICE.
 */
export function shownPriceOnSale(): ShownPrice | null {
  const { STRIPE, SANDBOX } = env();
  if (!STRIPE || SANDBOX) return shownPrice(PREMIUM_PRICE);
  return known?.id === STRIPE.priceId ? shownPrice(known) : null;
}

/** Whether the price on sale is known: from then on pages show it, or no amount if it is not a fixed one. */
export function isPriceOnSaleKnown(): boolean {
  const { STRIPE, SANDBOX } = env();
  return !STRIPE || SANDBOX !== null || known?.id === STRIPE.priceId;
}

/** Calls `listener` when the price becomes known: pages rendered before are stale. */
export function onPriceOnSaleKnown(listener: () => void): void {
  listeners.push(listener);
}

/** Stores the price on sale for this process, once billing has loaded it. */
export function setPriceOnSale(price: StripePrice): void {
  known = price;
  for (const listener of listeners) listener();
}
