import type Stripe from "stripe";
import { afterEach, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { checkoutOptions, hasOptions } from "./checkout.server";

afterEach(() => setEnvironment({}));

const ALL = {
  STRIPE_AUTOMATIC_TAX: "true",
  STRIPE_PROMOTION_CODES: "true",
  STRIPE_TERMS_CONSENT: "true",
};

/** A session as Stripe returns it for these options. */
const session = (options: object) =>
  ({
    automatic_tax: { enabled: false },
    allow_promotion_codes: null,
    consent_collection: null,
    ...options,
  }) as Stripe.Checkout.Session;

describe("checkout options", () => {
  it("save the billing address on the customer, for tax", () => {
    setEnvironment({ STRIPE_AUTOMATIC_TAX: "true" });
    expect(checkoutOptions()).toEqual({
      automatic_tax: { enabled: true },
      customer_update: { address: "auto", name: "auto" },
    });
  });

  it.each(Object.keys(ALL))("do not match a session created before %s was set", (name) => {
    setEnvironment({});
    const before = session(checkoutOptions());
    setEnvironment({ [name]: "true" });
    expect(hasOptions(before)).toBe(false);
    expect(hasOptions(session(checkoutOptions()))).toBe(true);
  });
});
