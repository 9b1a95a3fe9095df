import { minorDigits, shownDigits } from "./price-amount";

/** A subscription's price and billing period. */
export type RecurringPrice = {
  /** In Stripe's minor unit of the currency; null for a price that is not a fixed amount (tiers, metering). */
  unitAmount: number | null;
  /** ISO 4217, in lower case as Stripe writes it. */
  currency: string;
  /** day, week, month or year. */
  interval: string;
  intervalCount: number;
};

/** The price of premium until the author sets another: $9.99 a month (specification, 9). */
export const PREMIUM_PRICE = {
  unitAmount: 999,
  currency: "usd",
  interval: "month",
  intervalCount: 1,
} as const satisfies RecurringPrice;

/**
 * A price as pages show it, such as "$9.99" and "per month". Formatted on the server, so it does not depend on the
 * browser's Intl data.
 */
export type ShownPrice = { amount: string; period: string };

/** Formats a price; returns null if it is not a fixed amount. */
export function shownPrice(price: RecurringPrice): ShownPrice | null {
  const amount = priceText(price);
  return amount === null ? null : { amount, period: periodText(price) };
}

/**
 * Formats an amount in US English with its currency's decimals: "$9.99", "€12.50", "¥1,200". Returns null if it is
 * not fixed or the currency code is invalid.
 */
export function priceText({
  unitAmount,
  currency,
}: Pick<RecurringPrice, "unitAmount" | "currency">): string | null {
  // Intl throws a RangeError for a code that is not three letters
  if (unitAmount === null || !/^[a-z]{3}$/.test(currency)) return null;
  const decimals = shownDigits(currency);
  return new Intl.NumberFormat("en-US", {
    style: "currency",
    currency,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(unitAmount / 10 ** minorDigits(currency));
}

/** Formats a billing period: "per month", "per year", "every 3 months". */
export function periodText({
  interval,
  intervalCount,
}: Pick<RecurringPrice, "interval" | "intervalCount">): string {
  return intervalCount === 1 ? `per ${interval}` : `every ${intervalCount} ${interval}s`;
}
