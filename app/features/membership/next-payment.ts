import type { Profile } from "~db/schema";
import { priceText } from "./premium-price";

/** A member's next payment, as pages show it. */
export type ShownPayment = {
  /** The day on which it renews, as an ISO 8601 instant. */
  at: string;
  /** What is charged, such as "$9.99"; null while Stripe has not said. */
  amount: string | null;
};

/** The next charge as Stripe previews it, with taxes and discounts; null if nothing is charged, or unknown. */
export type NextPayment = Pick<
  Profile,
  "nextPaymentAt" | "nextPaymentAmount" | "nextPaymentCurrency"
>;

/** Returns a row's next payment; null if nothing more is charged, or a sync has yet to tell. */
export function nextPayment(row: NextPayment): ShownPayment | null {
  const { nextPaymentAt: at, nextPaymentAmount: unitAmount, nextPaymentCurrency: currency } = row;
  if (at === null) return null;
  return { at: at.toISOString(), amount: currency && priceText({ unitAmount, currency }) };
}
