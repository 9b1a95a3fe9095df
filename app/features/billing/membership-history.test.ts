import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import type { ExaminedMembership } from "./customer-billing.server";
import { paidMemberships } from "./membership-history";

const HOUR = 3_600;
const START = Date.UTC(2026, 0, 1) / 1_000;
const at = (hours: number) => new Date((START + hours * HOUR) * 1_000);

type Given = {
  status?: Stripe.Subscription.Status;
  endedAfter?: number | null;
  invoices?: string[];
  price?: { unit_amount?: number | null; interval?: string; interval_count?: number };
  quantity?: number;
  reason?: Stripe.Subscription.CancellationDetails.Feedback;
  cancelAt?: number | null;
};

function membership({
  status = "active",
  endedAfter = null,
  invoices = [],
  price: { unit_amount = 999, interval = "month", interval_count = 1 } = {},
  quantity,
  reason,
  cancelAt = null,
}: Given): ExaminedMembership {
  return {
    subscription: {
      id: "sub_1",
      status,
      start_date: START,
      cancel_at: cancelAt,
      cancellation_details: { feedback: reason ?? null },
      ended_at: endedAfter === null ? null : START + endedAfter * HOUR,
    },
    item: {
      price: { unit_amount, currency: "usd", recurring: { interval, interval_count } },
      quantity,
      current_period_start: START + 720 * HOUR,
      current_period_end: START + 1_440 * HOUR,
    },
    invoices: invoices.map((status) => ({ status })),
  } as unknown as ExaminedMembership;
}

const paid = (given: Given) => paidMemberships([membership(given)]);

describe("paid memberships", () => {
  it.each(["active", "past_due"] as const)("continue while %s", (status) => {
    expect(paid({ status })).toEqual([
      {
        stripeSubscriptionId: "sub_1",
        startedAt: at(0),
        endedAt: null,
        monthlyAmount: 999,
        currency: "usd",
        reason: null,
      },
    ]);
  });

  it("cost nothing in free time", () => {
    expect(paid({ status: "trialing" })).toMatchObject([{ endedAt: null, monthlyAmount: 0 }]);
  });

  it.each([
    ["one that has ended", { status: "canceled", endedAfter: 400 }, "unused"],
    ["one that is set to end", { cancelAt: START + 1_440 * HOUR }, "unused"],
    ["not of one that is kept after all", {}, null],
  ] as const)("have the reason of %s", (_what, given, expected) => {
    expect(paid({ reason: "unused", ...given })[0]?.reason).toBe(expected);
  });

  it.each(["unpaid", "paused"] as const)("end with the last paid period once %s", (status) => {
    expect(paid({ status })[0]?.endedAt).toEqual(at(720));
  });

  it("end when Stripe ended them, or else with their period", () => {
    expect(paid({ status: "canceled", endedAfter: 400 })[0]?.endedAt).toEqual(at(400));
    expect(paid({ status: "canceled", invoices: ["paid"] })[0]?.endedAt).toEqual(at(1_440));
  });

  it("exclude those without a first payment", () => {
    expect(paid({ status: "incomplete" })).toEqual([]);
    for (const endedAfter of [23, 24])
      expect(paid({ status: "incomplete_expired", endedAfter })).toEqual([]);
    expect(paid({ status: "canceled", endedAfter: 2, invoices: ["void"] })).toEqual([]);
    expect(paid({ status: "canceled", endedAfter: 2, invoices: ["open", "paid"] })).toHaveLength(1);
    expect(paid({ status: "canceled", endedAfter: 23 })).toEqual([]);
    expect(paid({ status: "canceled", endedAfter: 24 })).toHaveLength(1);
  });

  it.each([
    [{ interval: "year", unit_amount: 9_900 }, 825],
    [{ interval: "month", interval_count: 3, unit_amount: 2_700 }, 900],
    [{ interval: "week", unit_amount: 300 }, 1_304],
    [{ interval: "day", unit_amount: 100 }, 3_042],
    [{ unit_amount: null }, 0],
  ])("have a monthly share of %o", (price, amount) => {
    expect(paid({ price })[0]?.monthlyAmount).toBe(amount);
  });

  it("multiply the price by the quantity", () => {
    expect(paid({ quantity: 3 })[0]?.monthlyAmount).toBe(2_997);
  });
});
