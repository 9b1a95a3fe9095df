import Stripe from "stripe";
import { afterEach, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import {
  isMissingAtStripe,
  PaymentsNotConfigured,
  requireStripe,
  stripeClient,
} from "./stripe-client.server";

afterEach(() => setEnvironment({}));

describe("a site without Stripe's keys", () => {
  it("throws PaymentsNotConfigured", () => {
    setEnvironment({});
    for (const ask of [requireStripe, stripeClient]) {
      expect(ask).toThrow(PaymentsNotConfigured);
      expect(ask).toThrow("Payments are not configured on this site yet.");
    }
  });
});

describe("isMissingAtStripe", () => {
  const { StripeInvalidRequestError, StripeAPIError } = Stripe.errors;
  const missing = { code: "resource_missing", param: "customer", message: "No such customer" };

  it("accepts a missing object, of the given parameter if any", () => {
    const error = new StripeInvalidRequestError(missing as never);
    expect(isMissingAtStripe(error)).toBe(true);
    expect(isMissingAtStripe(error, "customer")).toBe(true);
    expect(isMissingAtStripe(error, "price")).toBe(false);
    const other = { ...missing, code: "parameter_invalid_empty" };
    expect(isMissingAtStripe(new StripeInvalidRequestError(other as never))).toBe(false);
    expect(isMissingAtStripe(new StripeAPIError(missing as never))).toBe(false);
    expect(isMissingAtStripe(null)).toBe(false);
  });
});
