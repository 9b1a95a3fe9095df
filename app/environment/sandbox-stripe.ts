/**
 * What the site and the local Stripe sandbox agree on when `PAYMENTS=sandbox`. Anybody can read it here, so
 * it must open nothing that others can reach.
 */
export const SANDBOX_STRIPE = {
  secretKey: "sk_test_goldenPathSandbox",
  priceId: "price_goldenPathPremiumMonthly",
  productId: "prod_goldenPathPremium",
  webhookSecret: "whsec_goldenPathSandbox",
} as const;
