import { afterEach, describe, expect, it } from "vitest";
import { SANDBOX_STRIPE, setEnvironment } from "~/env.server";
import { callLimits } from "./stripe-client.server";

afterEach(() => setEnvironment({}));

const LIVE = "sk_live_1";
const TEST = "sk_test_1";

describe("callLimits", () => {
  it.each([
    // Stripe allows a live account 100, a test account 25, and 25 per endpoint.
    ["a live key", LIVE, undefined, { perSecond: 80, perEndpoint: 20 }],
    ["a test key", TEST, undefined, { perSecond: 20, perEndpoint: 20 }],
    ["limits that Stripe has raised", LIVE, "400", { perSecond: 400, perEndpoint: 100 }],
    ["a small share of the limits", TEST, "5", { perSecond: 5, perEndpoint: 5 }],
  ])("stays within Stripe's limits with %s", (_what, key, own, limits) => {
    setEnvironment(own ? { STRIPE_CALLS_PER_SECOND: own } : {});
    expect(callLimits(key)).toEqual({ ...limits, concurrency: 50 });
  });

  it.each([
    ["by default", undefined, 400],
    ["as set", "80", 80],
  ])("sets no limit per endpoint for the local Stripe, %s", (_when, own, perSecond) => {
    setEnvironment({
      PAYMENTS: "sandbox",
      PORT: "3000",
      ...(own ? { STRIPE_CALLS_PER_SECOND: own } : {}),
    });
    const limits = { perSecond, perEndpoint: perSecond, concurrency: 200 };
    expect(callLimits(SANDBOX_STRIPE.secretKey)).toEqual(limits);
  });
});
