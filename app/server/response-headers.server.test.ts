import { afterEach, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { pagePolicy } from "./response-headers.server";

afterEach(() => setEnvironment({}));

const STRIPE = {
  STRIPE_SECRET_KEY: "sk_test_1",
  STRIPE_PRICE_ID: "price_1",
  STRIPE_WEBHOOK_SECRET: "whsec_1",
};

/** The sources of one directive, or null when the policy has none. */
function sourcesOf(directive: string, policy = pagePolicy([])): string[] | null {
  const found = policy.split("; ").find((text) => text.split(" ")[0] === directive);
  return found?.split(" ").slice(1) ?? null;
}

describe("a page's policy", () => {
  it("allows only the page's own scripts", () => {
    setEnvironment({});
    expect(sourcesOf("script-src", pagePolicy(["'nonce-abc'"]))).toEqual(["'self'", "'nonce-abc'"]);
    expect(sourcesOf("default-src")).toEqual(["'none'"]);
    expect(sourcesOf("object-src")).toEqual(["'none'"]);
    expect(sourcesOf("frame-ancestors")).toEqual(["'none'"]);
  });

  it("allows forms to lead to Stripe only if payments are configured", () => {
    setEnvironment({});
    expect(sourcesOf("form-action")).toEqual(["'self'"]);
    setEnvironment(STRIPE);
    expect(sourcesOf("form-action")).toEqual([
      "'self'",
      "https://checkout.stripe.com",
      "https://billing.stripe.com",
    ]);
    setEnvironment({ ...STRIPE, STRIPE_CUSTOM_DOMAIN: "pay.book.example" });
    expect(sourcesOf("form-action")).toContain("https://pay.book.example");
    setEnvironment({ PAYMENTS: "sandbox", PORT: "3000" });
    expect(sourcesOf("form-action")).toEqual(["'self'", "http://localhost:3001"]);
  });

  it("allows Stripe's script only with a publishable key", () => {
    setEnvironment(STRIPE);
    expect(pagePolicy([])).not.toContain("js.stripe.com");
    setEnvironment({ ...STRIPE, STRIPE_PUBLISHABLE_KEY: "pk_test_1" });
    expect(sourcesOf("script-src")).toContain("https://js.stripe.com");
    expect(sourcesOf("frame-src")).toEqual(["https://js.stripe.com", "https://hooks.stripe.com"]);
    expect(sourcesOf("connect-src")).toContain("https://api.stripe.com");
  });

  it("requires https only where the site has it", () => {
    setEnvironment({ PUBLIC_URL: "http://book.example" });
    expect(sourcesOf("upgrade-insecure-requests")).toBeNull();
    setEnvironment({ PUBLIC_URL: "https://book.example" });
    expect(sourcesOf("upgrade-insecure-requests")).toEqual([]);
  });
});
