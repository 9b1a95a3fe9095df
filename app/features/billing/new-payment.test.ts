import { describe, expect, it } from "vitest";
import type { ExaminedMembership } from "./customer-billing.server";
import { showsNewPayment } from "./new-payment";
import { NO_MEMBERSHIP } from "./subscription-state";

const DAY = 24 * 60 * 60;
/** When the snapshot was taken, in seconds since 1970; all other times count from it. */
const NOW = Date.UTC(2026, 5, 15) / 1_000;
const at = (seconds: number) => new Date((NOW + seconds) * 1_000);

/** What the row knew; a payment an hour ago that it does not know, unless told otherwise. */
type Given = {
  before?: { price?: string | null; end?: number | null; syncedAt?: number | null };
  price?: string | null;
  end?: number | null;
  /** When each invoice of the membership was paid; null for one that was not. */
  paid?: (number | null)[];
  /** Those of another membership of the same customer. */
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

describe("a snapshot", () => {
  it("shows a new payment when it is the first to show a membership that was just paid", () => {
    expect(showsOne()).toBe(true);
    expect(showsOne({ before: { syncedAt: null } })).toBe(true);
    expect(showsOne({ paid: [-40 * DAY, -3_600, null] })).toBe(true);
  });

  it("shows one when it is the first to show a renewal", () => {
    expect(showsOne({ before: { price: "price_1", end: 0 } })).toBe(true);
    expect(showsOne({ before: { price: "price_1", end: null } })).toBe(true);
  });

  it("shows none when the row has the membership's period already", () => {
    expect(showsOne({ before: { price: "price_1", end: 30 * DAY } })).toBe(false);
  });

  it("shows one when access comes back with the period the row had", () => {
    expect(showsOne({ before: { price: null, end: 30 * DAY } })).toBe(true);
  });

  it("shows none when there is no access", () => {
    expect(showsOne({ price: null })).toBe(false);
    expect(showsOne({ end: null })).toBe(false);
  });

  it("shows none when the payment was made before the row was last synced", () => {
    expect(showsOne({ before: { syncedAt: -3_600 } })).toBe(false);
    expect(showsOne({ before: { syncedAt: -3_601 } })).toBe(true);
  });

  it("shows none when Stripe has stopped repeating the webhook of the payment", () => {
    const before = { syncedAt: null };
    expect(showsOne({ before, paid: [-3 * DAY] })).toBe(true);
    expect(showsOne({ before, paid: [-3 * DAY - 1] })).toBe(false);
  });

  it("shows none when only another membership was paid, or nothing was", () => {
    expect(showsOne({ paid: [], paidByAnother: [-3_600] })).toBe(false);
    expect(showsOne({ before: { syncedAt: null }, paid: [null] })).toBe(false);
  });
});
