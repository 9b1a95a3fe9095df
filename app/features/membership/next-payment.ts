import type { Profile } from "~db/schema";
import { priceText } from "./premium-price";

/** A member's next payment, as pages show it. */
export type ShownPayment = {
  /** The day on which it renews, as an ISO 8601 instant. */
  at: string;
  /** What is charged, such as "$9.99"; null while Stripe has not said. */
  amount: string | null;
};

/** Returns the next payment that the row has; null if nothing more is charged, or a sync has yet to tell. */
export function nextPayment({
  nextPaymentAt: at,
  nextPaymentAmount: unitAmount,
  nextPaymentCurrency: currency,
}: Pick<
  Profile,
  "nextPaymentAt" | "nextPaymentAmount" | "nextPaymentCurrency"
>): ShownPayment | null {
  if (at === null) return null;
  return { at: at.toISOString(), amount: currency && priceText({ unitAmount, currency }) };
}
