import { createHash } from "node:crypto";
import type Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { apiVersion, bestEndpoint, hasExactly, webhookAddress } from "./setup-webhook.server";

beforeEach(() => {
  setEnvironment({
    STRIPE_SECRET_KEY: "sk_test_1",
    STRIPE_PRICE_ID: "price_1",
    STRIPE_WEBHOOK_SECRET: "whsec_former,whsec_configured",
    LOG_LEVEL: "silent",
  });
});
afterEach(() => setEnvironment({}));

/** Returns an endpoint with the fields the choice depends on. */
function endpoint(facts: { id: string; secret?: string; isEnabled: boolean; created?: number }) {
  const { id, secret, isEnabled, created = 1_800_000_000 } = facts;
  const hash = secret && createHash("sha256").update(secret).digest("hex");
  return {
    id,
    api_version: apiVersion(),
    created,
    metadata: hash ? { secret_sha256: hash.slice(0, 16) } : {},
    status: isEnabled ? "enabled" : "disabled",
    url: webhookAddress(),
  } as Stripe.WebhookEndpoint;
}

describe("the webhook endpoint to keep", () => {
  it("has a configured secret, else is enabled, else the newest", () => {
    // best first
    const endpoints = [
      endpoint({ id: "configured", secret: "whsec_configured", isEnabled: true }),
      endpoint({ id: "disabled", secret: "whsec_configured", isEnabled: false, created: 1 }),
      endpoint({ id: "newer", isEnabled: true, created: 3 }),
      endpoint({ id: "older", secret: "whsec_lost", isEnabled: true, created: 2 }),
      endpoint({ id: "unused, newer", secret: "whsec_lost", isEnabled: false, created: 5 }),
      endpoint({ id: "unused, older", isEnabled: false, created: 4 }),
    ];
    const pairs = endpoints.flatMap((best, index) =>
      endpoints.slice(index + 1).map((other) => [best, other] as const),
    );
    expect(pairs).toHaveLength(15);
    for (const [best, other] of pairs) {
      expect(bestEndpoint([best, other])).toBe(best);
      expect(bestEndpoint([other, best])).toBe(best);
    }
  });

  it("has the right API version, and is not at a former address", () => {
    const right = endpoint({ id: "right", isEnabled: false });
    const elsewhere = { ...endpoint({ id: "a", isEnabled: true }), url: "https://former.example/" };
    expect(bestEndpoint([elsewhere, right])).toBe(right);
    const of = (api_version: string | null) => ({
      ...endpoint({ id: "other", secret: "whsec_configured", isEnabled: true }),
      api_version,
    });
    expect(bestEndpoint([of("2024-06-20"), right, of(null)])).toBe(right);
    expect(bestEndpoint([of("2024-06-20"), of(null)])).toBeUndefined();
    expect(bestEndpoint([])).toBeUndefined();
  });
});

describe("the events of a webhook endpoint", () => {
  it("are exactly the handled ones, in any order", () => {
    const handled = ["invoice.paid", "customer.deleted"];
    expect(hasExactly(["invoice.paid", "customer.deleted"], handled)).toBe(true);
    expect(hasExactly(["customer.deleted", "invoice.paid"], handled)).toBe(true);
    expect(hasExactly(["invoice.paid"], handled)).toBe(false);
    expect(hasExactly(["invoice.paid", "customer.deleted", "price.created"], handled)).toBe(false);
    expect(hasExactly(["*"], handled)).toBe(false);
  });
});
