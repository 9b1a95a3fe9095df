import { nextPeriodEnd } from "./billing-period";
import type { Sandbox } from "./sandbox";
import type { Coupon, Discount } from "./state";
import { newId, type Price, type Subscription } from "./wire";

/** The parts of an amount, in the currency's minor unit. `tax` is part of the total if it is inclusive. */
export type Amounts = {
  subtotal: number;
  discount: number;
  tax: number;
  isInclusive: boolean;
  total: number;
};

/** Returns what a price costs in a currency: its own, or one of its `currency_options`. */
export function unitAmount(sandbox: Sandbox, price: Price, currency: string): number {
  if (currency === price.currency) return price.unit_amount ?? 0;
  const amount = sandbox.state.currencyOptions.get(price.id)?.[currency];
  if (amount === undefined) throw new Error(`Price ${price.id} has no amount in ${currency}.`);
  return amount;
}

/** Adds discount and tax to an amount. A price without a tax behavior excludes tax. */
export function amountsOf(
  sandbox: Sandbox,
  subtotal: number,
  { price, coupon, isTaxed }: { price: Price; coupon?: Coupon | undefined; isTaxed: boolean },
): Amounts {
  const { percentOff = 0, amountOff = 0 } = coupon ?? {};
  const discount =
    subtotal <= 0 ? 0 : Math.min(subtotal, Math.round((subtotal * percentOff) / 100) + amountOff);
  const net = subtotal - discount;
  const rate = isTaxed ? sandbox.state.taxPercent / 100 : 0;
  const isInclusive = price.tax_behavior === "inclusive";
  const tax = Math.round(isInclusive ? net - net / (1 + rate) : net * rate);
  return { subtotal, discount, tax, isInclusive, total: isInclusive ? net : net + tax };
}

/** Gives a subscription a coupon, for its invoices from now on. Returns the discount's id. */
export function addDiscount(sandbox: Sandbox, subscription: Subscription, coupon: Coupon): string {
  const now = sandbox.now();
  const { months } = coupon;
  const discount: Discount = {
    id: newId("di"),
    coupon,
    until:
      months === undefined
        ? null
        : nextPeriodEnd(now, now, { interval: "month", interval_count: months }),
  };
  sandbox.state.discounts.set(subscription.id, discount);
  return discount.id;
}

/** Returns a subscription's discount on an invoice made at a time in Unix seconds. */
export function discountAt(
  sandbox: Sandbox,
  subscription: Subscription,
  at: number,
): Discount | undefined {
  const discount = sandbox.state.discounts.get(subscription.id);
  return discount && (discount.until === null || at < discount.until) ? discount : undefined;
}
