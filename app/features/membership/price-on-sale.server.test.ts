import { afterEach, describe, expect, it, vi } from "vitest";
import { setEnvironment } from "~/env.server";
import {
  isPriceOnSaleKnown,
  onPriceOnSaleKnown,
  setPriceOnSale,
  shownPriceOnSale,
} from "./price-on-sale.server";

afterEach(() => setEnvironment({}));

/** Configures a price of the author's Stripe account. */
const sell = (priceId: string) =>
  setEnvironment({
    STRIPE_SECRET_KEY: "sk_test_1",
    STRIPE_PRICE_ID: priceId,
    STRIPE_WEBHOOK_SECRET: "whsec_1",
  });

const price = (id: string, unitAmount: number | null) => ({
  id,
  productId: "prod_1",
  unitAmount,
  currency: "eur",
  interval: "month",
  intervalCount: 3,
});

const IN_SPECIFICATION = { amount: "$9.99", period: "per month" };

describe("the price on sale", () => {
  it("is not shown before it is known", () => {
    sell("price_not_loaded");
    expect([shownPriceOnSale(), isPriceOnSaleKnown()]).toEqual([null, false]);
  });

  it("is shown once it is known, and only while it is the one on sale", () => {
    setPriceOnSale(price("price_a", 1_250));
    sell("price_a");
    expect(shownPriceOnSale()).toEqual({ amount: "€12.50", period: "every 3 months" });
    expect(isPriceOnSaleKnown()).toBe(true);
    sell("price_b");
    expect([shownPriceOnSale(), isPriceOnSaleKnown()]).toEqual([null, false]);
  });

  it("is known, but not shown, if it is not a fixed amount", () => {
    setPriceOnSale(price("price_tiers", null));
    sell("price_tiers");
    expect([shownPriceOnSale(), isPriceOnSaleKnown()]).toEqual([null, true]);
  });

  it("is the specification's from the start, without payments and with the local Stripe", () => {
    setEnvironment({});
    expect([shownPriceOnSale(), isPriceOnSaleKnown()]).toEqual([IN_SPECIFICATION, true]);
    setEnvironment({ PAYMENTS: "sandbox", STRIPE_SANDBOX_PORT: "4001" });
    expect([shownPriceOnSale(), isPriceOnSaleKnown()]).toEqual([IN_SPECIFICATION, true]);
  });

  it("notifies every listener each time it is loaded", () => {
    const [page, cache] = [vi.fn(), vi.fn()];
    onPriceOnSaleKnown(page);
    onPriceOnSaleKnown(cache);
    expect(page).not.toHaveBeenCalled();
    setPriceOnSale(price("price_c", 100));
    expect([page.mock.calls, cache.mock.calls]).toEqual([[[]], [[]]]);
  });
});
