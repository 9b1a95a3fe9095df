import { beforeEach, describe, expect, it, vi } from "vitest";
import { SANDBOX_STRIPE, setEnvironment } from "~/env.server";
import {
  premiumProducts,
  priceOnSale,
  SETUP_METADATA,
} from "~/features/billing/premium-product.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { siteMark } from "~/features/billing/stripe-site.server";
import { findStripePrice } from "~db/queries/stripe-prices";
import { control, requestCounts, stripeSettings } from "../support/payments";
import { testSite } from "../support/site";

const site = testSite({ payments: {} });

let starts = 0;

/** Restarts the site with an empty Stripe cache. */
function restart(priceId: string = SANDBOX_STRIPE.priceId): void {
  starts += 1;
  sell(priceId);
}

/** Changes the price on sale of the running site. */
function sell(priceId: string): void {
  setEnvironment({
    ...stripeSettings(site.sandboxOrigin, priceId),
    // a changed rate creates a new client, with an empty cache
    STRIPE_CALLS_PER_SECOND: String(90_000 + starts),
    LOG_LEVEL: "silent",
  });
}

beforeEach(async () => {
  restart();
  await control(site.sandboxOrigin, "requests/clear");
});

/** The number of requests to Stripe. */
const requestsOf = async (kind: string) => (await requestCounts(site.sandboxOrigin))[kind] ?? 0;

const newProduct = async (metadata: Record<string, string> = {}) =>
  (await stripeClient().products.create({ name: "A product", metadata })).id;

const newPrice = (product: string) =>
  stripeClient().prices.create({
    product,
    currency: "eur",
    unit_amount: 2_500,
    recurring: { interval: "week", interval_count: 6 },
  });

describe("the price on sale", () => {
  it("is fetched from Stripe once, and then stored", async () => {
    const productId = await newProduct();
    const { id } = await newPrice(productId);
    restart(id);
    expect(await findStripePrice(id)).toBeNull();
    const price = {
      id,
      productId,
      unitAmount: 2_500,
      currency: "eur",
      interval: "week",
      intervalCount: 6,
    };
    expect(await priceOnSale()).toEqual(price);
    expect(await findStripePrice(id)).toEqual(price);
    expect(await priceOnSale()).toEqual(price);
    expect(await requestsOf("GET /v1/prices/:id")).toBe(1);
  });
});

describe("the products whose subscriptions are memberships", () => {
  const LIST = "GET /v1/products";

  it("are that of the price on sale and those that setup created", async () => {
    const known = await premiumProducts();
    expect(known).toContain(SANDBOX_STRIPE.productId);
    const former = await newProduct({ ...SETUP_METADATA, ...(await siteMark()) });
    await newProduct({ ...SETUP_METADATA, golden_path_site: "another" });
    const onSale = await newProduct();
    await newProduct({ app: "another" });
    restart();
    expect(await premiumProducts()).toEqual(new Set([...known, former]));

    restart((await newPrice(onSale)).id);
    const others = [...known].filter((id) => id !== SANDBOX_STRIPE.productId);
    expect(await premiumProducts()).toEqual(new Set([...others, former, onSale]));
  });

  it("are fetched again after 10 minutes", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const before = await premiumProducts();
    const product = await newProduct({ ...SETUP_METADATA, ...(await siteMark()) });
    vi.advanceTimersByTime(10 * 60_000 - 1);
    expect(await premiumProducts()).toEqual(before);
    expect(await requestsOf(LIST)).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await premiumProducts()).toEqual(new Set([...before, product]));
    expect(await requestsOf(LIST)).toBe(2);
  });
});
