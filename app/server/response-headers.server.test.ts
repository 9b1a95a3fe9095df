import { ServerResponse } from "node:http";
import { afterEach, describe, expect, it, vi } from "vitest";
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
  it("allows nothing but what the page needs", () => {
    setEnvironment({ PUBLIC_URL: "https://book.example" });
    expect(pagePolicy(["'nonce-abc'"]).split("; ")).toEqual([
      "default-src 'none'",
      "script-src 'self' 'nonce-abc'",
      "style-src 'self'",
      "style-src-attr 'unsafe-inline'",
      "img-src 'self' https://images.unsplash.com",
      "media-src 'self'",
      "font-src 'self'",
      "connect-src 'self'",
      "frame-src 'none'",
      "manifest-src 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "object-src 'none'",
      "upgrade-insecure-requests",
    ]);
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
    setEnvironment({
      COMMUNITY_URL: "https://community.book.example",
      DISCOURSE_CONNECT_SECRET: "a secret between the two sites",
    });
    expect(sourcesOf("form-action")).toEqual(["'self'", "https://community.book.example"]);
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
});

describe("every response", () => {
  /** The headers of a program started with these settings; a process computes them once. */
  async function headersWith(settings: Record<string, string>) {
    vi.resetModules();
    const environment = await import("~/env.server");
    environment.setEnvironment(settings);
    const { commonHeaders, setCommonHeaders } = await import("./response-headers.server");
    const response = new ServerResponse({ method: "GET" } as never);
    setCommonHeaders(response);
    expect(commonHeaders()).toBe(commonHeaders());
    return response.getHeaders();
  }

  const EVERYWHERE = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "strict-origin-when-cross-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), browsing-topics=()",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "content-security-policy":
      "default-src 'none'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'",
  };

  it.each([
    ["over plain http", { PUBLIC_URL: "http://localhost:3000" }, {}],
    [
      "over https",
      { PUBLIC_URL: "https://book.example" },
      { "strict-transport-security": "max-age=31536000" },
    ],
    [
      "over https with all subdomains",
      { PUBLIC_URL: "https://book.example", HSTS_INCLUDE_SUBDOMAINS: "true" },
      { "strict-transport-security": "max-age=31536000; includeSubDomains" },
    ],
  ])("%s has the common headers", async (_where, settings, more) => {
    expect({ ...(await headersWith(settings)) }).toEqual({ ...EVERYWHERE, ...more });
  });
});
