import { env } from "~/env.server";
import { PREMIUM_PRICE, type ShownPrice, shownPrice } from "~/features/membership/premium-price";
import { log } from "~/observability/log.server";
import { waitAtMost } from "~/server/wait-at-most";
import type { StripePrice } from "~db/schema";
import { priceOnSale } from "./premium-product.server";

/** How long a start waits for the price, in milliseconds. The database has it unless it is a new one. */
const START_PATIENCE_MS = 3_000;

/** Pauses before Stripe is asked again, in milliseconds; the last one repeats. */
const RETRY_MS = [2_000, 10_000, 60_000];

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

/**
 * Learns the price on sale from the database, or else from Stripe, and tries again until it is known.
 * Resolves as soon as it is, and after three seconds at the latest; gives the function that stops trying.
 */
export async function learnPriceOnSale(): Promise<() => void> {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const ask = async (failures = 0): Promise<void> => {
    try {
      known = await priceOnSale();
      for (const listener of listeners) listener();
    } catch (error) {
      if (stopped) return;
      const retryInMs = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)];
      log().error(
        { err: error, retryInMs },
        "what STRIPE_PRICE_ID costs is not known yet; the pages name no amount meanwhile",
      );
      timer = setTimeout(ask, retryInMs, failures + 1).unref();
    }
  };
  await waitAtMost(START_PATIENCE_MS, ask());
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
