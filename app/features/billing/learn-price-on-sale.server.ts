import pTimeout from "p-timeout";
import { setPriceOnSale } from "~/features/membership/price-on-sale.server";
import { log } from "~/observability/log.server";
import { priceOnSale } from "./premium-product.server";

/** How long a start waits for the price, in milliseconds. The database has it unless it is a new one. */
const START_TIMEOUT_MS = 3_000;

/** Pauses before Stripe is asked again, in milliseconds; the last one repeats. */
const RETRY_MS = [2_000, 10_000, 60_000];

/**
 * Learns the price on sale from the database, or else from Stripe, and tries again until it is known.
 * Resolves as soon as it is, and after three seconds at the latest; gives the function that stops trying.
 */
export async function learnPriceOnSale(): Promise<() => void> {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const ask = async (failures = 0): Promise<void> => {
    try {
      setPriceOnSale(await priceOnSale());
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
  await pTimeout(ask(), { milliseconds: START_TIMEOUT_MS, message: false });
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
