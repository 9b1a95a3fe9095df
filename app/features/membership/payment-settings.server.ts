import { env } from "~/env.server";

/** The settings with which the browser starts a checkout. */
export type PaymentSettings = {
  priceId: string;
  publishableKey: string | null;
};

/** Returns the browser's checkout settings; null while Stripe is not configured. */
export function paymentSettings(): PaymentSettings | null {
  const { STRIPE } = env();
  return STRIPE && { priceId: STRIPE.priceId, publishableKey: STRIPE.publishableKey };
}
