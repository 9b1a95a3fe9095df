import type Stripe from "stripe";
import { findKnownProducts } from "~db/queries/billing-examination";
import { findStripePrice, insertStripePrice } from "~db/queries/stripe-prices";
import type { StripePrice } from "~db/schema";
import { withCallPurpose } from "./call-purpose.server";
import { requireStripe, stripeClient } from "./stripe-client.server";
import { isOurs, siteMark } from "./stripe-site.server";

/** Marks the objects `stripe setup` creates at Stripe as those of this program; `siteMark` tells sites apart. */
export const SETUP_METADATA = { app: "the-golden-path" } as const;

/** Cache lifetime of the products, in milliseconds; another process's `stripe setup` may create one. */
const CACHE_TTL_MS = 10 * 60_000;

let cached:
  | { client: Stripe; priceId: string; at: number; products: Promise<ReadonlySet<string>> }
  | undefined;

/**
 * Returns the price on sale, `STRIPE_PRICE_ID`. Fetches it from Stripe once and stores it in the database; the stored
 * fields cannot change (https://docs.stripe.com/api/prices/update).
 */
export async function priceOnSale(): Promise<StripePrice> {
  const { priceId } = requireStripe();
  const stored = await findStripePrice(priceId);
  if (stored) return stored;
  const price = toStripePrice(await stripeClient().prices.retrieve(priceId));
  await insertStripePrice(price);
  return price;
}

/**
 * Returns the products whose subscriptions can be memberships: that of the price on sale, and all that `stripe setup`
 * ever created for this site. Subscribers to a former product thus stay members.
 */
export function premiumProducts(): Promise<ReadonlySet<string>> {
  const client = stripeClient();
  const { priceId } = requireStripe();
  const isKnown =
    cached?.client === client &&
    cached.priceId === priceId &&
    performance.now() - cached.at < CACHE_TTL_MS;
  if (!cached || !isKnown) {
    // All callers share this request, so it must not get background priority from the timer.
    const products = withCallPurpose("webhook", () => findProducts(client));
    const entry = { client, priceId, at: performance.now(), products };
    cached = entry;
    entry.products.catch(() => {
      if (cached === entry) cached = undefined;
    });
  }
  return cached.products;
}

async function findProducts(client: Stripe): Promise<ReadonlySet<string>> {
  const products = new Set([(await priceOnSale()).productId]);
  const [mark, known] = await Promise.all([siteMark(), findKnownProducts()]);
  for await (const { id, metadata } of client.products.list({ limit: 100 })) {
    if (metadata.app !== SETUP_METADATA.app) continue;
    if (isOurs(metadata, mark, { named: known.includes(id) })) products.add(id);
  }
  return products;
}

/** Converts a Stripe price to its stored form. A price without `recurring` never belongs to a subscription. */
export function toStripePrice(price: Stripe.Price): StripePrice {
  const { id, unit_amount: unitAmount, currency, recurring } = price;
  return {
    id,
    productId: productOf(price),
    unitAmount,
    currency,
    interval: recurring?.interval ?? "month",
    intervalCount: recurring?.interval_count ?? 1,
  };
}

/** Returns the id of a price's product. */
export function productOf({ product }: Stripe.Price): string {
  return typeof product === "string" ? product : product.id;
}
