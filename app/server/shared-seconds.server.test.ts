import { afterEach, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { clearCurrentEdition, setCurrentEdition } from "~/features/library/current-edition.server";
import { Edition } from "~/features/library/edition";
import { setPriceOnSale } from "~/features/membership/price-on-sale.server";
import { SAMPLE_SITE } from "~/features/site/sample-site";
import { sharedSeconds } from "./shared-seconds.server";

afterEach(() => {
  clearCurrentEdition();
  setEnvironment({});
});

const edition = new Edition("e", [], SAMPLE_SITE);

it("a page is kept in front as long as CDN_CACHE_SECONDS says, and not at all without", () => {
  setCurrentEdition(edition);
  setEnvironment({ CDN_CACHE_SECONDS: "300" });
  expect(sharedSeconds()).toBe(300);
  setEnvironment({});
  expect(sharedSeconds()).toBeNull();
});

it("a page without the edition is not kept in front", () => {
  setEnvironment({ CDN_CACHE_SECONDS: "300" });
  expect(sharedSeconds()).toBeNull();
});

it("a page without the price is not kept in front, but one of a price that is no fixed amount is", () => {
  setCurrentEdition(edition);
  setEnvironment({
    CDN_CACHE_SECONDS: "300",
    STRIPE_SECRET_KEY: "sk_test_123",
    STRIPE_WEBHOOK_SECRET: "whsec_123",
    STRIPE_PRICE_ID: "price_on_sale",
  });
  expect(sharedSeconds()).toBeNull();
  setPriceOnSale({
    id: "price_on_sale",
    productId: "prod_1",
    unitAmount: null,
    currency: "usd",
    interval: "month",
    intervalCount: 1,
  });
  expect(sharedSeconds()).toBe(300);
});
