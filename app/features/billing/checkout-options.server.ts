import type Stripe from "stripe";
import { env } from "~/env.server";

type CheckoutOptions = Pick<
  Stripe.Checkout.SessionCreateParams,
  "allow_promotion_codes" | "automatic_tax" | "consent_collection" | "customer_update"
>;

/**
 * The checkout session parameters for the settings STRIPE_AUTOMATIC_TAX, STRIPE_PROMOTION_CODES and
 * STRIPE_TERMS_CONSENT and an existing customer. Tax is calculated from the address entered at checkout only
 * if that may be saved on the customer (https://docs.stripe.com/tax/checkout); consent requires a URL of the
 * terms in the account's public details
 * (https://docs.stripe.com/api/checkout/sessions/create#create_checkout_session-consent_collection).
 */
export function checkoutOptions(): CheckoutOptions {
  const { tax, promotionCodes, consent } = configuredOptions();
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

/** Whether a session was created with the options of the current settings, so that it may be reused. */
export function hasOptions(session: Stripe.Checkout.Session): boolean {
  const { tax, promotionCodes, consent } = configuredOptions();
  return (
    session.automatic_tax.enabled === tax &&
    (session.allow_promotion_codes ?? false) === promotionCodes &&
    (session.consent_collection?.terms_of_service === "required") === consent
  );
}

function configuredOptions(): { tax: boolean; promotionCodes: boolean; consent: boolean } {
  const { STRIPE_AUTOMATIC_TAX, STRIPE_PROMOTION_CODES, STRIPE_TERMS_CONSENT } = env();
  return {
    tax: STRIPE_AUTOMATIC_TAX,
    promotionCodes: STRIPE_PROMOTION_CODES,
    consent: STRIPE_TERMS_CONSENT,
  };
}
