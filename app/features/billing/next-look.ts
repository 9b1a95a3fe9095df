import type { CustomerBilling } from "./customer-billing.server";
import { givesAccess, liveMemberships, type Membership } from "./subscription-state";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Stripe lets a Checkout Session be paid for 24 hours; the second day covers one that is settled late. */
const CHECKOUT_LIFE_MS = 48 * HOUR;

/** How long before a renewal is charged the timer looks once more, so that a dispute it has not heard of still counts. */
const BEFORE_RENEWAL_MS = 30 * MINUTE;

/**
 * When to look at a customer again if no webhook comes, or null where nothing can change unheard: around
 * the ends of periods, and while something is undecided, the longer it has been so the more rarely.
 */
export function nextLookAt(
  {
    memberships,
    at,
    isUnfinished,
  }: Pick<CustomerBilling, "memberships"> & { at: Date; isUnfinished: boolean },
  checkoutOpenedAt: Date | null,
): Date | null {
  const now = at.getTime();
  if (isUnfinished) return new Date(now + 5 * MINUTE);
  const looks = liveMemberships(memberships).map((membership) => lookAtMembership(membership, now));
  const checkout = checkoutOpenedAt?.getTime();
  if (checkout !== undefined && now - checkout < CHECKOUT_LIFE_MS) {
    looks.push(now + nextLookDelay(now - checkout));
  }
  return looks.length > 0 ? new Date(Math.min(...looks)) : null;
}

function lookAtMembership({ subscription, item, coverage }: Membership, now: number): number {
  const { status, created } = subscription;
  const { paidUntil, withdrawn } = coverage;
  if (status === "incomplete") return now + nextLookDelay(now - created * 1_000);
  if (!givesAccess(subscription) || withdrawn || paidUntil === null) return now + HOUR;
  const paidEnd = paidUntil * 1_000;
  if (paidUntil < item.current_period_end) return now + nextLookDelay(now - paidEnd);
  const isNear = now >= paidEnd - BEFORE_RENEWAL_MS;
  return isNear ? Math.max(paidEnd, now) + 5 * MINUTE : paidEnd - BEFORE_RENEWAL_MS;
}

/** Every five minutes at first, every hour after ten. */
function nextLookDelay(elapsed: number): number {
  return Math.min(Math.max(elapsed / 10, 5 * MINUTE), HOUR);
}
