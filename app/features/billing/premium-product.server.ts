import type Stripe from "stripe";
import { findStripePrice, insertStripePrice } from "~db/queries/stripe-prices";
import type { StripePrice } from "~db/schema";
import { withCallPurpose } from "./call-purpose.server";
import { requireStripe, stripeClient } from "./stripe-client.server";

/** Marks the objects that `stripe setup` created at Stripe, so that the site can find them. */
export const SETUP_METADATA = { app: "the-golden-path" } as const;

/** How long the list of products is cached; `stripe setup` in another process may have created one since. */
const CACHE_TTL_MS = 10 * 60_000;

let cached:
  | { client: Stripe; priceId: string; at: number; products: Promise<ReadonlySet<string>> }
  | undefined;

/**
 * The price on sale, `STRIPE_PRICE_ID`. Fetched from Stripe once and stored in the database, because what is
 * stored of a price cannot change (https://docs.stripe.com/api/prices/update).
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
 * The products whose subscriptions are memberships: that of the price on sale, and each that `stripe setup`
 * ever created, so that those who still pay for a former one stay members.
 */
export function premiumProducts(): Promise<ReadonlySet<string>> {
  const client = stripeClient();
  const { priceId } = requireStripe();
  const isKnown =
    cached?.client === client &&
    cached.priceId === priceId &&
    Date.now() - cached.at < CACHE_TTL_MS;
  if (!cached || !isKnown) {
    // All callers share this request, so it must not have background priority if the timer is first.
    const products = withCallPurpose("webhook", () => findProducts(client));
    const entry = { client, priceId, at: Date.now(), products };
    cached = entry;
    entry.products.catch(() => {
      if (cached === entry) cached = undefined;
    });
  }
  return cached.products;
}

async function findProducts(client: Stripe): Promise<ReadonlySet<string>> {
  const products = new Set([(await priceOnSale()).productId]);
  for await (const { id, metadata } of client.products.list({ limit: 100 })) {
    if (metadata.app === SETUP_METADATA.app) products.add(id);
  }
  return products;
}

/** The stored form of a Stripe price; a price without `recurring` never belongs to a subscription. */
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

/** The id of a price's product. */
export function productOf({ product }: Stripe.Price): string {
  return typeof product === "string" ? product : product.id;
}
