import type Stripe from "stripe";
import { findStripePrice, insertStripePrice } from "~db/queries/stripe-prices";
import type { StripePrice } from "~db/schema";
import { withCallPurpose } from "./call-purpose.server";
import { requireStripe, stripeClient } from "./stripe-client.server";

/** Marks what `stripe setup` made at Stripe, for the site to find it again. */
export const SETUP_METADATA = { app: "the-golden-path" } as const;

/** How long the list of products is remembered; `stripe setup` in another process may have made one since. */
const REMEMBERED_MS = 10 * 60_000;

let remembered:
  | { client: Stripe; priceId: string; at: number; products: Promise<ReadonlySet<string>> }
  | undefined;

/**
 * The price on sale, `STRIPE_PRICE_ID`. Asked of Stripe once and kept in the database, because nothing of
 * a price but its being active can change (https://docs.stripe.com/api/prices/update).
 */
export async function priceOnSale(): Promise<StripePrice> {
  const { priceId } = requireStripe();
  const kept = await findStripePrice(priceId);
  if (kept) return kept;
  const price = toStripePrice(await stripeClient().prices.retrieve(priceId));
  await insertStripePrice(price);
  return price;
}

/**
 * The products whose subscriptions are memberships: that of the price on sale, and each that
 * `stripe setup` ever made, so that whoever goes on paying for a former one stays a member.
 */
export function premiumProducts(): Promise<ReadonlySet<string>> {
  const client = stripeClient();
  const { priceId } = requireStripe();
  const isKnown =
    remembered?.client === client &&
    remembered.priceId === priceId &&
    Date.now() - remembered.at < REMEMBERED_MS;
  if (!remembered || !isKnown) {
    // everybody shares this answer, so it must not queue with the timer if the timer happens to ask first
    const products = withCallPurpose("webhook", () => findProducts(client));
    const entry = { client, priceId, at: Date.now(), products };
    remembered = entry;
    entry.products.catch(() => {
      if (remembered === entry) remembered = undefined;
    });
  }
  return remembered.products;
}

async function findProducts(client: Stripe): Promise<ReadonlySet<string>> {
  const products = new Set([(await priceOnSale()).productId]);
  for await (const { id, metadata } of client.products.list({ limit: 100 })) {
    if (metadata.app === SETUP_METADATA.app) products.add(id);
  }
  return products;
}

/** What is kept of one of Stripe's prices; one without `recurring` is nothing a subscription has. */
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

/** The id of the product that a price is of. */
export function productOf({ product }: Stripe.Price): string {
  return typeof product === "string" ? product : product.id;
}
