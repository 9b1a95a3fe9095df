import { minorDigits, shownDigits } from "./price-amount";

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

/** A price as the pages word it, such as "$9.99" and "per month". Worded on the server, so that no browser words it differently. */
export type ShownPrice = { amount: string; period: string };

/** A price in words; null for one that is no plain amount. */
export function shownPrice(price: RecurringPrice): ShownPrice | null {
  const amount = priceText(price);
  return amount === null ? null : { amount, period: periodText(price) };
}

/** "$9.99", "€12.50", "¥1,200": the amount in US English, with as many decimals as its currency has. */
export function priceText({
  unitAmount,
  currency,
}: Pick<RecurringPrice, "unitAmount" | "currency">): string | null {
  // Intl knows codes of three letters and throws at any other
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
