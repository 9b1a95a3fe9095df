import type Stripe from "stripe";
import { env } from "~/env.server";

type CheckoutOptions = Pick<
  Stripe.Checkout.SessionCreateParams,
  "allow_promotion_codes" | "automatic_tax" | "consent_collection" | "customer_update"
>;

/**
 * What the settings STRIPE_AUTOMATIC_TAX, STRIPE_PROMOTION_CODES and STRIPE_TERMS_CONSENT ask of a
 * checkout session for a customer who exists already. Tax is reckoned by the address typed at the checkout
 * only if that may be saved on the customer (https://docs.stripe.com/tax/checkout); consent wants
 * an address of the terms in the account's public details
 * (https://docs.stripe.com/api/checkout/sessions/create#create_checkout_session-consent_collection).
 */
export function checkoutOptions(): CheckoutOptions {
  const { tax, promotionCodes, consent } = wanted();
  return {
    ...(promotionCodes ? { allow_promotion_codes: true } : {}),
    ...(tax
      ? {
          automatic_tax: { enabled: true },
          customer_update: { address: "auto", name: "auto" },
        }
      : {}),
    ...(consent ? { consent_collection: { terms_of_service: "required" } } : {}),
  };
}

/** Whether a session was made with the options of the present settings, so that it may be used again. */
export function hasOptions(session: Stripe.Checkout.Session): boolean {
  const { tax, promotionCodes, consent } = wanted();
  return (
    session.automatic_tax.enabled === tax &&
    (session.allow_promotion_codes ?? false) === promotionCodes &&
    (session.consent_collection?.terms_of_service === "required") === consent
  );
}

function wanted(): { tax: boolean; promotionCodes: boolean; consent: boolean } {
  const { STRIPE_AUTOMATIC_TAX, STRIPE_PROMOTION_CODES, STRIPE_TERMS_CONSENT } = env();
  return {
    tax: STRIPE_AUTOMATIC_TAX,
    promotionCodes: STRIPE_PROMOTION_CODES,
    consent: STRIPE_TERMS_CONSENT,
  };
}
