import { describe, expect, it } from "vitest";
import type { ExaminedMembership } from "./customer-billing.server";
import { showsNewPayment } from "./new-payment";
import { NO_MEMBERSHIP } from "./subscription-state";

const DAY = 24 * 60 * 60;
/** Time of the snapshot, in seconds since 1970. All other times are relative to it. */
const NOW = Date.UTC(2026, 5, 15) / 1_000;
const at = (seconds: number) => new Date((NOW + seconds) * 1_000);

/** The row's state; by default, it does not know of a payment an hour ago. */
type Given = {
  before?: { price?: string | null; end?: number | null; syncedAt?: number | null };
  price?: string | null;
  end?: number | null;
  /** When each invoice of the membership was paid; null for an unpaid one. */
  paid?: (number | null)[];
  /** The same for another membership of the customer. */
  paidByAnother?: number[];
};

const dateOf = (seconds: number | null) => (seconds === null ? null : at(seconds));

function showsOne({ before = {}, paid = [-3_600], paidByAnother = [], ...given }: Given = {}) {
  const { price = "price_1", end = 30 * DAY } = given;
  const row = {
    stripePriceId: before.price ?? null,
    stripeCurrentPeriodEnd: dateOf(before.end ?? null),
    syncedAt: dateOf(before.syncedAt === undefined ? -DAY : before.syncedAt),
  };
  const membership = (id: string, paid: (number | null)[]) =>
    ({
      subscription: { id },
      invoices: paid.map((one) => ({
        status_transitions: { paid_at: one === null ? null : NOW + one },
      })),
    }) as unknown as ExaminedMembership;
  const state = {
    ...NO_MEMBERSHIP,
    stripeSubscriptionId: "sub_1",
    stripePriceId: price,
    stripeCurrentPeriodEnd: dateOf(end),
  };
  const memberships = [membership("sub_0", paidByAnother), membership("sub_1", paid)];
  return showsNewPayment(row, { state, memberships, at: at(0) });
}

describe("showsNewPayment", () => {
  it("is true for a new membership that was just paid", () => {
    expect(showsOne()).toBe(true);
    expect(showsOne({ before: { syncedAt: null } })).toBe(true);
    expect(showsOne({ paid: [-40 * DAY, -3_600, null] })).toBe(true);
  });

  it("is true for a new renewal", () => {
    expect(showsOne({ before: { price: "price_1", end: 0 } })).toBe(true);
    expect(showsOne({ before: { price: "price_1", end: null } })).toBe(true);
  });

  it("is false if the row already has the period", () => {
    expect(showsOne({ before: { price: "price_1", end: 30 * DAY } })).toBe(false);
  });

  it("is true if access returns with the row's period", () => {
    expect(showsOne({ before: { price: null, end: 30 * DAY } })).toBe(true);
  });

  it("is false without access", () => {
    expect(showsOne({ price: null })).toBe(false);
    expect(showsOne({ end: null })).toBe(false);
  });

  it("is false for a payment before the last sync", () => {
    expect(showsOne({ before: { syncedAt: -3_600 } })).toBe(false);
    expect(showsOne({ before: { syncedAt: -3_601 } })).toBe(true);
  });

  it("is false once Stripe has stopped retrying the payment's webhook", () => {
    const before = { syncedAt: null };
    expect(showsOne({ before, paid: [-3 * DAY] })).toBe(true);
    expect(showsOne({ before, paid: [-3 * DAY - 1] })).toBe(false);
  });

  it("is false if only another membership, or none, was paid", () => {
    expect(showsOne({ paid: [], paidByAnother: [-3_600] })).toBe(false);
    expect(showsOne({ before: { syncedAt: null }, paid: [null] })).toBe(false);
  });
});
