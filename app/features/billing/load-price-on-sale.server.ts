import pTimeout from "p-timeout";
import { setPriceOnSale } from "~/features/membership/price-on-sale.server";
import { log } from "~/observability/log.server";
import { priceOnSale } from "./premium-product.server";

/** Maximum wait at startup, in milliseconds. Unless the price is new, the database has it. */
const START_TIMEOUT_MS = 3_000;

/** Retry delays, in milliseconds; the last one repeats. */
const RETRY_MS = [2_000, 10_000, 60_000];

/**
 * Loads the price on sale from the database, or else from Stripe, and retries until it is known. Resolves once it is,
 * or after three seconds, to a function that stops retrying.
 */
export async function loadPriceOnSale(): Promise<() => void> {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const load = async (failures = 0): Promise<void> => {
    try {
      setPriceOnSale(await priceOnSale());
    } catch (error) {
      if (stopped) return;
      const retryInMs = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)];
      log().error(
        { err: error, retryInMs },
        "the amount of STRIPE_PRICE_ID is not known yet; until then the pages show none",
      );
      timer = setTimeout(load, retryInMs, failures + 1).unref();
    }
  };
  await pTimeout(load(), { milliseconds: START_TIMEOUT_MS, message: false });
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
