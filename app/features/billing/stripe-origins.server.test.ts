import { afterEach, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { paymentPageOrigins, stripeJsOrigins } from "./stripe-origins.server";

afterEach(() => setEnvironment({}));

const STRIPE = {
  STRIPE_SECRET_KEY: "sk_test_1",
  STRIPE_PRICE_ID: "price_1",
  STRIPE_WEBHOOK_SECRET: "whsec_1",
};

describe("the origins that a form may redirect to", () => {
  it("are none without payments", () => {
    setEnvironment({});
    expect(paymentPageOrigins()).toEqual([]);
  });

  it("are those of Stripe's checkout and portal", () => {
    setEnvironment(STRIPE);
    expect(paymentPageOrigins()).toEqual([
      "https://checkout.stripe.com",
      "https://billing.stripe.com",
    ]);
  });

  it("are also those of another API, and the author's domains in lower case", () => {
    setEnvironment({
      ...STRIPE,
      STRIPE_API_BASE: "http://localhost:4000",
      STRIPE_CUSTOM_DOMAIN: "Pay.Book.example,billing.book.example",
    });
    expect(paymentPageOrigins()).toEqual([
      "https://checkout.stripe.com",
      "https://billing.stripe.com",
      "http://localhost:4000",
      "https://pay.book.example",
      "https://billing.book.example",
    ]);
  });

  it("are only the sandbox's where it stands in for Stripe", () => {
    setEnvironment({ PAYMENTS: "sandbox", STRIPE_SANDBOX_PORT: "4001" });
    expect(paymentPageOrigins()).toEqual(["http://localhost:4001"]);
  });
});

describe("the origins that Stripe.js needs", () => {
  it("are none without a publishable key, with which it would be loaded", () => {
    const none = { scripts: [], frames: [], connections: [] };
    setEnvironment({});
    expect(stripeJsOrigins()).toEqual(none);
    setEnvironment(STRIPE);
    expect(stripeJsOrigins()).toEqual(none);
  });

  it("are those that Stripe's security guide lists", () => {
    setEnvironment({ ...STRIPE, STRIPE_PUBLISHABLE_KEY: "pk_test_1" });
    expect(stripeJsOrigins()).toEqual({
      scripts: ["https://js.stripe.com"],
      frames: ["https://js.stripe.com", "https://hooks.stripe.com"],
      connections: ["https://api.stripe.com"],
    });
  });
});
