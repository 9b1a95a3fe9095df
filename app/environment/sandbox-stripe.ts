/**
 * Credentials shared by the site and the local Stripe when `PAYMENTS=sandbox`. They are public here,
 * so they must not protect anything that others can reach.
 */
export const SANDBOX_STRIPE = {
  secretKey: "sk_test_goldenPathSandbox",
  priceId: "price_goldenPathPremiumMonthly",
  productId: "prod_goldenPathPremium",
  webhookSecret: "whsec_goldenPathSandbox",
} as const;
