import type { CustomerBilling } from "./customer-billing.server";
import { givesAccess, liveMemberships, type Membership } from "./subscription-state";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A Checkout Session can be paid for 24 hours; the second day covers payments that settle late. */
const CHECKOUT_LIFETIME_MS = 48 * HOUR;

/** How long before a renewal to sync again, in milliseconds, so a dispute with a missed webhook still counts. */
const BEFORE_RENEWAL_MS = 30 * MINUTE;

/**
 * Returns when to sync a customer again without a webhook; null if nothing can change without one. That is around
 * period ends, and with growing delays while something is pending.
 */
export function nextSyncAt(
  {
    memberships,
    at,
    isUnfinished,
  }: Pick<CustomerBilling, "memberships"> & { at: Date; isUnfinished: boolean },
  checkoutOpenedAt: Date | null,
): Date | null {
  const now = at.getTime();
  if (isUnfinished) return new Date(now + 5 * MINUTE);
  const times = liveMemberships(memberships).map((membership) => nextSyncOf(membership, now));
  const checkout = checkoutOpenedAt?.getTime();
  if (checkout !== undefined && now - checkout < CHECKOUT_LIFETIME_MS) {
    times.push(now + syncDelay(now - checkout));
  }
  return times.length > 0 ? new Date(Math.min(...times)) : null;
}

function nextSyncOf({ subscription, item, coverage }: Membership, now: number): number {
  const { status, created } = subscription;
  const { paidUntil, revoked } = coverage;
  if (status === "incomplete") return now + syncDelay(now - created * 1_000);
  if (!givesAccess(subscription) || revoked || paidUntil === null) return now + HOUR;
  const paidEnd = Math.min(paidUntil, item.current_period_end) * 1_000;
  if (paidUntil < item.current_period_end) return now + syncDelay(now - paidEnd);
  const isNear = now >= paidEnd - BEFORE_RENEWAL_MS;
  return isNear ? Math.max(paidEnd, now) + 5 * MINUTE : paidEnd - BEFORE_RENEWAL_MS;
}

/** Grows with the elapsed time from five minutes to one hour, reached after ten hours. */
function syncDelay(elapsed: number): number {
  return Math.min(Math.max(elapsed / 10, 5 * MINUTE), HOUR);
}
