/** @type {import("../survivors.mjs").Explanation[]} */
export const explanations = [
  {
    file: "billing/checkout-destination.ts",
    line: 'typeof url !== "string" || !isPage(url)',
    replacement: /^false$/,
    why: "equivalent: what is no text is no page's address either",
  },
  {
    file: "billing/checkout-destination.ts",
    line: "https?:$/.test(",
    replacement: /^\/\^https\?:\/$/,
    why: "equivalent: a protocol has one colon, at its end",
  },
  {
    file: "billing/checkout-destination.ts",
    line: "} catch {",
    why: "equivalent: undefined counts as false",
  },
  {
    file: "billing/coverage.ts",
    line: 'price_details?.product ?? ""',
    replacement: /Stryker/,
    why: "equivalent: no product has either name",
  },
  {
    file: "billing/coverage.ts",
    line: "if (intent) payments.set(",
    replacement: /^true$/,
    why: "equivalent: no payment is looked up by null",
  },
  {
    file: "billing/coverage.ts",
    line: "if (until === null ||",
    replacement: /^false$/,
    why: "equivalent: null counts as earlier than any period, and as the first one paid changes nothing",
  },
  {
    file: "billing/coverage.ts",
    line: "return ends.length > 0 ? Math.max",
    replacement: /^(true|ends\.length >= 0)$/,
    why: "equivalent: the greatest of no numbers is earlier than any period",
  },
  {
    file: "billing/renewal-invoices.ts",
    line: 'stripeSubscriptionStatus ?? ""',
    why: "equivalent: no status has either name",
  },
  {
    file: "billing/subscription-state.ts",
    line: "a.subscription.id < b.subscription.id",
    replacement: /<=/,
    why: "equivalent: no two subscriptions have the same id",
  },
  {
    file: "billing/membership-facts.ts",
    line: 'stripeSubscriptionStatus ?? ""',
    replacement: /Stryker/,
    why: "equivalent: no status has either name",
  },
  {
    file: "billing/membership-facts.ts",
    line: "end !== null && end > now",
    replacement: /^true$/,
    why: "equivalent: null is later than no date",
  },
  {
    file: "billing/membership-history.ts",
    line: "const months = (MONTHS[",
    replacement: /^(""|recurring\.interval|recurring\.interval_count)$/,
    why: "equivalent: the price of a subscription recurs",
  },
  {
    file: "billing/next-sync.ts",
    line: "checkout !== undefined &&",
    replacement: /^true$/,
    why: "equivalent: no time at all is not less than a lifetime either",
  },
  {
    file: "billing/next-sync.ts",
    line: "|| paidUntil === null) return now + HOUR;",
    replacement: /^false$/,
    why: "equivalent: what was paid in 1970 is synced every hour as well",
  },
  {
    file: "membership/membership-state.ts",
    line: 'stripeSubscriptionStatus ?? ""',
    why: "equivalent: no status has either name",
  },
  {
    file: "membership/premium-price.ts",
    line: "if (!format) {",
    replacement: /^true$/,
    why: "equivalent: only how often a format is made",
  },
  {
    file: "membership/price-amount.ts",
    line: ".exec(text) ?? []",
    why: "equivalent: only that nothing stands in second place is asked",
  },
];
