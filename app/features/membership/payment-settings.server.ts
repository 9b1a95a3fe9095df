import { env } from "~/env.server";

/** What the browser needs to know to send the viewer to a checkout. */
export type PaymentSettings = {
  priceId: string;
  publishableKey: string | null;
};

/** The settings of checkout for the browser; null while Stripe is not configured. */
export function paymentSettings(): PaymentSettings | null {
  const { STRIPE } = env();
  return STRIPE && { priceId: STRIPE.priceId, publishableKey: STRIPE.publishableKey };
}
