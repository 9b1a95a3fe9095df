import { afterEach, describe, expect, it, vi } from "vitest";
import { setEnvironment } from "~/env.server";
import { watchLog } from "../../../tests/support/log";
import { paymentPageProblem } from "./payment-pages.server";

afterEach(() => {
  vi.restoreAllMocks();
  setEnvironment({});
});

const STRIPE = {
  STRIPE_SECRET_KEY: "sk_test_1",
  STRIPE_PRICE_ID: "price_1",
  STRIPE_WEBHOOK_SECRET: "whsec_1",
};

describe("a URL from Stripe's API", () => {
  it("is trusted on any domain", () => {
    setEnvironment({ ...STRIPE, LOG_LEVEL: "silent" });
    expect(paymentPageProblem("https://checkout.stripe.com/c/pay/cs_1")).toBeNull();
    expect(paymentPageProblem("https://pay-1.book.example/c/pay/cs_1")).toBeNull();
  });

  it("must be encrypted, unless the API is not", () => {
    setEnvironment(STRIPE);
    const plain = "http://checkout.stripe.com/c/pay/cs_1";
    expect(paymentPageProblem(plain)).toBe("The payment page is not encrypted.");
    expect(paymentPageProblem("javascript:alert(1)")).toBe("The payment page is not encrypted.");
    setEnvironment({ ...STRIPE, STRIPE_API_BASE: "https://stripe.example" });
    expect(paymentPageProblem(plain)).toBe("The payment page is not encrypted.");
    setEnvironment({ ...STRIPE, STRIPE_API_BASE: "http://localhost:4000" });
    expect(paymentPageProblem("http://localhost:4000/pay")).toBeNull();
    expect(paymentPageProblem("javascript:alert(1)")).toBe("The payment page is not encrypted.");
  });

  it("is reported if it is missing or malformed", () => {
    setEnvironment(STRIPE);
    expect(paymentPageProblem(null)).toBe("The payment page has no address.");
    expect(paymentPageProblem("cs_1")).toBe("The payment page has no address.");
  });

  it("with an unlisted domain warns the operator once, naming the setting", () => {
    setEnvironment(STRIPE);
    const lines = watchLog();
    for (const path of ["1", "2", "3"]) paymentPageProblem(`https://pay-2.book.example/${path}`);
    paymentPageProblem("https://billing.stripe.com/p/1");
    expect(lines).toEqual([
      {
        level: "warn",
        message: expect.stringContaining("STRIPE_CUSTOM_DOMAIN=pay-2.book.example"),
        facts: { origin: "https://pay-2.book.example" },
      },
    ]);
  });

  it("with a listed domain logs no warning", () => {
    setEnvironment({ ...STRIPE, STRIPE_CUSTOM_DOMAIN: "pay-3.book.example,Pay-4.book.example" });
    const lines = watchLog();
    paymentPageProblem("https://pay-3.book.example/1");
    paymentPageProblem("https://pay-4.book.example/1");
    expect(lines).toEqual([]);
  });
});
