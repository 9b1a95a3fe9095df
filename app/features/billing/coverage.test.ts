import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { chargesOf, coverageOf, fullRefundOf, isPaidSince, paymentsOf } from "./coverage";

const PRODUCTS = new Set(["prod_ours"]);

/** `pricing` is Stripe's price data; by default that of our product. */
type Line = { end: number; pricing?: object | null };
type InvoiceShape = {
  status?: string;
  lines?: Line[];
  /** The payments of the invoice, each with its status. */
  payments?: { status?: string; payment: object }[];
  paidAt?: number | null;
};

function invoice({ status = "paid", lines = [], payments, paidAt = null }: InvoiceShape) {
  const ours = { price_details: { product: "prod_ours" } };
  const data = lines.map(({ end, pricing = ours }) => ({
    amount: 999,
    period: { start: 0, end },
    pricing,
  }));
  return {
    status,
    amount_paid: 999,
    lines: { data },
    payments: payments && {
      data: payments.map(({ status = "paid", payment }) => ({ status, payment })),
    },
    status_transitions: { paid_at: paidAt },
  } as unknown as Stripe.Invoice;
}

function charge(id: string, more: object = {}): Stripe.Charge {
  return {
    id,
    payment_intent: `pi_${id}`,
    status: "succeeded",
    refunded: true,
    amount_refunded: 999,
    currency: "usd",
    ...more,
  } as Stripe.Charge;
}

const by = (id: string) => ({ payment: { payment_intent: `pi_${id}` } });
const refundedAt = (...seconds: number[]) => ({
  refunds: { data: seconds.map((created) => ({ created })) },
});

describe("the charges of an invoice", () => {
  const payments = paymentsOf([charge("1"), charge("2", { payment_intent: null })]);
  const idsOf = (shape: InvoiceShape) => chargesOf(invoice(shape), payments).map(({ id }) => id);

  it("are found by payment intent or charge, as ids or expanded objects", () => {
    expect(idsOf({ payments: [by("1")] })).toEqual(["1"]);
    expect(idsOf({ payments: [{ payment: { payment_intent: { id: "pi_1" } } }] })).toEqual(["1"]);
    expect(idsOf({ payments: [{ payment: { charge: "2" } }] })).toEqual(["2"]);
    expect(idsOf({ payments: [{ payment: { charge: { id: "2" } } }] })).toEqual(["2"]);
  });

  it("are empty without a known payment", () => {
    expect(idsOf({})).toEqual([]);
    expect(idsOf({ payments: [{ status: "open", payment: { charge: "2" } }] })).toEqual([]);
    expect(idsOf({ payments: [by("of another customer")] })).toEqual([]);
    expect(idsOf({ payments: [{ payment: {} }] })).toEqual([]);
  });
});

describe("the paid period", () => {
  it("ignores lines without a price, and an invoice without any of our products", () => {
    const paid = [
      invoice({ lines: [{ end: 300, pricing: null }] }),
      invoice({ lines: [{ end: 300, pricing: { price_details: null } }] }),
      invoice({ lines: [] }),
      invoice({ lines: [{ end: 200 }] }),
    ];
    for (const order of [paid, paid.toReversed()])
      expect(coverageOf(order, new Map(), PRODUCTS)).toEqual({ paidUntil: 200, revoked: null });
  });
});

describe("the refund of a membership's last payment", () => {
  const last = invoice({ lines: [{ end: 200 }], payments: [by("2")] });
  const older = invoice({ lines: [{ end: 100 }], payments: [by("1")] });
  const open = invoice({ status: "open", lines: [{ end: 200 }], payments: [by("3")] });
  const refundOf = (...charges: Stripe.Charge[]) =>
    fullRefundOf([open, last, older], paymentsOf(charges), PRODUCTS);

  it("has a charge, an amount and a time", () => {
    expect(refundOf(charge("2", refundedAt(50)))).toEqual({
      chargeId: "2",
      amount: 999,
      currency: "usd",
      at: new Date(50_000),
    });
  });

  it("is the newest of several, not another invoice's", () => {
    const others = [charge("1", refundedAt(90)), charge("3", refundedAt(95))];
    const refunds = refundedAt(50, 70, 60);
    expect(refundOf(charge("2", refunds), ...others)?.at).toEqual(new Date(70_000));
  });

  it("is null if the last payment was kept or the refunds were not listed", () => {
    expect(refundOf(charge("1", refundedAt(90)))).toBeNull();
    const kept = charge("2", { refunded: false, ...refundedAt(50) });
    expect(refundOf(kept)).toBeNull();
    expect(refundOf(charge("2"))).toBeNull();
    expect(refundOf(charge("2", refundedAt()))).toBeNull();
  });
});

describe("a dispute", () => {
  const isOver = (status: string, ...paidAt: (number | null)[]) =>
    isPaidSince(
      { dispute: { status, created: 100 } as Stripe.Dispute, chargeId: "ch_1" },
      paidAt.map((paidAt) => invoice({ paidAt })),
    );

  it("no longer matters once it is lost and the membership was paid since", () => {
    expect(isOver("lost", 50, 101, null)).toBe(true);
    const free = { ...invoice({ paidAt: 101 }), amount_paid: 0 };
    const dispute = { status: "lost", created: 100 } as Stripe.Dispute;
    expect(isPaidSince({ dispute, chargeId: "ch_1" }, [free])).toBe(false);
  });

  it("matters while it is open, and until a later payment", () => {
    expect(isOver("needs_response", 101)).toBe(false);
    expect(isOver("lost", 50, 100, null)).toBe(false);
    expect(isOver("lost")).toBe(false);
  });
});
