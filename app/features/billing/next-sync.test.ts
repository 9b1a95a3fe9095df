import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import type { ExaminedMembership } from "./customer-billing.server";
import { nextSyncAt } from "./next-sync";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 5, 15);

type Shape = {
  status?: string;
  /** In milliseconds from now. */
  created?: number;
  end?: number;
  paidUntil?: number | null;
  revoked?: "refund" | "dispute";
};

function membership({ status = "active", created = -DAY, end = 20 * DAY, ...paid }: Shape) {
  const seconds = (fromNow: number) => (NOW + fromNow) / 1_000;
  const { paidUntil = end, revoked = null } = paid;
  return {
    subscription: { status, created: seconds(created) } as Stripe.Subscription,
    item: { current_period_end: seconds(end) } as Stripe.SubscriptionItem,
    coverage: { paidUntil: paidUntil === null ? null : seconds(paidUntil), revoked },
    disputes: [],
    confirmation: null,
    invoices: [],
    refund: null,
  } satisfies ExaminedMembership;
}

/** Milliseconds until the next sync; null for none. */
function wait(shapes: Shape[], checkoutOpened: number | null = null, isUnfinished = false) {
  const billing = { memberships: shapes.map(membership), at: new Date(NOW), isUnfinished };
  const opened = checkoutOpened === null ? null : new Date(NOW + checkoutOpened);
  const at = nextSyncAt(billing, opened);
  return at && at.getTime() - NOW;
}

describe("the next sync of a customer", () => {
  it.each<[string, Shape, number]>([
    ["shortly before a renewal is charged", {}, 20 * DAY - 30 * MINUTE],
    ["right after a near period end", { end: 10 * MINUTE }, 15 * MINUTE],
    ["every five minutes while an ended period is not renewed", { end: -DAY }, 5 * MINUTE],
    ["soon after a renewal was not paid", { paidUntil: -HOUR }, 6 * MINUTE],
    ["every hour while it stays unpaid", { status: "past_due", paidUntil: -10 * DAY }, HOUR],
    ["every hour after a refund", { revoked: "refund" }, HOUR],
    ["soon after a first payment starts", { status: "incomplete", created: 0 }, 5 * MINUTE],
    ["every hour for days, until it arrives", { status: "incomplete", created: -5 * DAY }, HOUR],
  ])("is %s", (_when, shape, expected) => {
    expect(wait([shape])).toBe(expected);
  });

  it("is the earliest of all memberships'", () => {
    expect(wait([{}, { status: "paused" }])).toBe(HOUR);
  });

  it("is none for a customer without a live membership", () => {
    expect(wait([])).toBeNull();
    expect(wait([{ status: "canceled" }, { status: "incomplete_expired" }])).toBeNull();
  });

  it("follows an open checkout for two days", () => {
    expect(wait([], 0)).toBe(5 * MINUTE);
    expect(wait([], -5 * HOUR)).toBe(30 * MINUTE);
    expect(wait([], -47 * HOUR)).toBe(HOUR);
    expect(wait([], -48 * HOUR)).toBeNull();
  });

  it("is soon after an unfinished action at Stripe", () => {
    expect(wait([{}], null, true)).toBe(5 * MINUTE);
  });
});
