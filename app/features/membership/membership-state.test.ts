import { describe, expect, it } from "vitest";
import { membershipProblem, membershipStatus } from "./membership-state";

const day = (date: string) => new Date(`${date}T00:00:00Z`);

const ROW = {
  stripePriceId: "price_1",
  isPaymentPending: false,
  accessRevoked: null,
  secondSubscriptionId: null,
  stripeSubscriptionStatus: "active",
  stripeCancelAt: null,
  stripeCancelAtPeriodEnd: false,
  stripeCurrentPeriodEnd: day("2026-12-24"),
} as const;

describe("membershipStatus", () => {
  it("renews without a cancellation", () => {
    expect(membershipStatus(ROW)).toEqual({ kind: "renews" });
  });

  it("ends without another charge when canceled at the period's end", () => {
    const canceled = { ...ROW, stripeCancelAtPeriodEnd: true };
    const ends = { kind: "ends", at: "2026-12-24T00:00:00.000Z" };
    expect(membershipStatus({ ...canceled, stripeCancelAt: day("2026-12-24") })).toEqual(ends);
    // a row from before that date was stored
    expect(membershipStatus(canceled)).toEqual(ends);
  });

  it("ends without another charge if there is no access", () => {
    const row = { ...ROW, stripeCancelAt: day("2026-12-24"), stripeCurrentPeriodEnd: null };
    expect(membershipStatus(row).kind).toBe("ends");
  });

  it("renews until a cancellation after the current period, whatever the flag says", () => {
    const row = { ...ROW, stripeCancelAt: day("2027-03-24") };
    for (const stripeCancelAtPeriodEnd of [true, false]) {
      expect(membershipStatus({ ...row, stripeCancelAtPeriodEnd })).toEqual({
        kind: "renews-until",
        at: "2027-03-24T00:00:00.000Z",
      });
    }
  });

  it("gives an unpaid or revoked membership's end, but no charges", () => {
    const canceled = { ...ROW, stripeCancelAt: day("2027-03-24") };
    for (const problem of [
      { stripeSubscriptionStatus: "past_due" },
      { accessRevoked: "refund", stripeCurrentPeriodEnd: null },
    ] as const) {
      expect(membershipStatus({ ...canceled, ...problem }).kind).toBe("ends-with-problem");
    }
  });
});

describe("membershipProblem", () => {
  it.each([
    ["active", null, null],
    ["trialing", null, null],
    ["canceled", null, null],
    ["a status of later years", null, null],
    [null, null, null],
    ["past_due", null, "past-due"],
    ["unpaid", null, "unpaid"],
    ["paused", null, "paused"],
    ["incomplete", null, "confirming"],
    ["active", "refund", "refunded"],
    ["active", "dispute", "disputed"],
    ["past_due", "dispute", "disputed"],
  ] as const)("for status %s and access revoked for %s is %s", (status, revoked, problem) => {
    const row = { ...ROW, stripeSubscriptionStatus: status, accessRevoked: revoked };
    expect(membershipProblem(row)).toBe(problem);
  });

  it.each([
    ["active", null, "confirming"],
    ["active", "price_1", null],
    ["incomplete", null, "confirming"],
    ["past_due", "price_1", "confirming"],
  ] as const)("of a bank debit on its way, %s with price %s, is %s", (status, price, problem) => {
    const row = { ...ROW, stripeSubscriptionStatus: status, stripePriceId: price };
    expect(membershipProblem({ ...row, isPaymentPending: true })).toBe(problem);
  });

  it("of a payment that its holder has to confirm is that", () => {
    const row = { ...ROW, confirmPaymentUrl: "https://stripe.test/i/1" };
    expect(membershipProblem({ ...row, stripeSubscriptionStatus: "past_due" })).toBe("to-confirm");
    expect(membershipProblem(row)).toBeNull();
  });
});
