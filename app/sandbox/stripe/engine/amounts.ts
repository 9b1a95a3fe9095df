import { nextPeriodEnd } from "./billing-period";
import type { Sandbox } from "./sandbox";
import type { Coupon, Discount } from "./state";
import { newId, type Price, type Subscription } from "./wire";

/** Returns what a price costs in a currency: its own, or one of its `currency_options`. */
export function unitAmount(sandbox: Sandbox, price: Price, currency: string): number {
  if (currency === price.currency) return price.unit_amount ?? 0;
  const amount = sandbox.state.currencyOptions.get(price.id)?.[currency];
  if (amount === undefined) throw new Error(`Price ${price.id} has no amount in ${currency}.`);
  return amount;
}

/** Takes a coupon off an amount and adds tax, in the currency's minor unit. All prices exclude tax. */
export function amountsOf(
  sandbox: Sandbox,
  subtotal: number,
  { percentOff = 0, amountOff = 0 }: Coupon = {},
  isTaxed = false,
) {
  const off = Math.round((subtotal * percentOff) / 100) + amountOff;
  const discount = subtotal > 0 ? Math.min(subtotal, off) : 0;
  const net = subtotal - discount;
  const tax = isTaxed ? Math.round((net * sandbox.state.taxPercent) / 100) : 0;
  return { subtotal, discount, net, tax, total: net + tax };
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
