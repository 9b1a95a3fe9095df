/** What a subscription costs, and how often. */
export type RecurringPrice = {
  /** In the currency's smallest unit, as Stripe counts; null for a price that is no plain amount. */
  unitAmount: number | null;
  /** ISO 4217, in small letters as Stripe writes it. */
  currency: string;
  /** day, week, month or year. */
  interval: string;
  intervalCount: number;
};

/** What premium costs until the author sets another price: $9.99 a month (specification, 9). */
export const PREMIUM_PRICE = {
  unitAmount: 999,
  currency: "usd",
  interval: "month",
  intervalCount: 1,
} as const satisfies RecurringPrice;
