import { afterEach, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { paymentSettings } from "./payment-settings.server";

afterEach(() => setEnvironment({}));

const STRIPE = {
  STRIPE_SECRET_KEY: "sk_test_1",
  STRIPE_PRICE_ID: "price_1",
  STRIPE_WEBHOOK_SECRET: "whsec_1",
};

describe("paymentSettings", () => {
  it("returns null while Stripe is not configured", () => {
    setEnvironment({});
    expect(paymentSettings()).toBeNull();
  });

  it("returns the price and the publishable key, but no secret", () => {
    setEnvironment(STRIPE);
    expect(paymentSettings()).toEqual({ priceId: "price_1", publishableKey: null });
    setEnvironment({ ...STRIPE, STRIPE_PUBLISHABLE_KEY: "pk_test_1" });
    expect(paymentSettings()).toEqual({ priceId: "price_1", publishableKey: "pk_test_1" });
  });
});
