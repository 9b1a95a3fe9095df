import { minorDigits, shownDigits } from "./price-amount";

/** What a subscription costs, and how often. */
export type RecurringPrice = {
  /** In Stripe's minor unit of the currency; null for a price that is not a fixed amount (tiers, metering). */
  unitAmount: number | null;
  /** ISO 4217, in lower case as Stripe writes it. */
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

/**
 * A price as the pages show it, such as "$9.99" and "per month". Formatted on the server, so that the browser's
 * Intl data makes no difference.
 */
export type ShownPrice = { amount: string; period: string };

/** Formats a price; null for one that is not a fixed amount. */
export function shownPrice(price: RecurringPrice): ShownPrice | null {
  const amount = priceText(price);
  return amount === null ? null : { amount, period: periodText(price) };
}

/** "$9.99", "€12.50", "¥1,200": the amount in US English, with as many decimals as its currency has. */
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

/** "per month", "per year", "every 3 months". */
export function periodText({
  interval,
  intervalCount,
}: Pick<RecurringPrice, "interval" | "intervalCount">): string {
  return intervalCount === 1 ? `per ${interval}` : `every ${intervalCount} ${interval}s`;
}
