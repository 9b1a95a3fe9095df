import { env } from "~/env.server";

/** What the browser must know to send somebody to a checkout. */
export type PaymentSettings = {
  priceId: string;
  /** Origins a checkout or portal address may have; anything else is refused. */
  checkoutOrigins: string[];
  publishableKey: string | null;
};

/** The settings of checkout for the browser; null while Stripe is not configured. */
export function paymentSettings(): PaymentSettings | null {
  const { STRIPE, SANDBOX } = env();
  if (!STRIPE) return null;
  return {
    priceId: STRIPE.priceId,
    checkoutOrigins: [
      ...(SANDBOX ? [SANDBOX.origin] : []),
      // another origin that speaks Stripe's API hands out its own pages
      ...(STRIPE.apiBase && !SANDBOX ? [STRIPE.apiBase] : []),
      ...(SANDBOX ? [] : ["https://checkout.stripe.com", "https://billing.stripe.com"]),
    ],
    publishableKey: STRIPE.publishableKey,
  };
}
