import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import type { ExaminedMembership } from "./customer-billing.server";
import { renewalInvoices } from "./renewal-invoices";

const AT = new Date("2026-06-15T12:00:00Z");
const CREATED = 1_000;
const FINALIZED = 2_000;
const PAID = 3_000;

/** Returns an invoice, by default a renewal's newest one that Stripe failed to collect. */
function invoice(more: Partial<Stripe.Invoice> = {}): Stripe.Invoice {
  return {
    id: "in_2",
    status: "open",
    billing_reason: "subscription_cycle",
    attempted: true,
    auto_advance: true,
    collection_method: "charge_automatically",
    created: CREATED,
    status_transitions: { finalized_at: FINALIZED, paid_at: null },
    ...more,
  } as Stripe.Invoice;
}

const paid = (paid_at: number | null, more: Partial<Stripe.Invoice> = {}) =>
  invoice({
    status: "paid",
    status_transitions: { finalized_at: FINALIZED, paid_at } as Stripe.Invoice.StatusTransitions,
    ...more,
  });

function told(before: string | null, now: string, ...invoices: Stripe.Invoice[]) {
  const membership = {
    subscription: { status: now, latest_invoice: "in_2" },
    invoices,
  } as unknown as ExaminedMembership;
  return renewalInvoices(
    { stripeSubscriptionStatus: before },
    { memberships: [membership], at: AT },
  );
}

const FAILED = { invoiceId: "in_2", failedAt: new Date(FINALIZED * 1_000), paidAt: null };

describe("a snapshot's renewals", () => {
  it.each(["past_due", "unpaid"])("have failed while the membership is %s", (status) => {
    expect(told("active", status, invoice())).toEqual([FAILED]);
  });

  it("have failed when the invoice was created, if it was never finalized", () => {
    const transitions = { finalized_at: null } as Stripe.Invoice.StatusTransitions;
    const [failed] = told("active", "past_due", invoice({ status_transitions: transitions }));
    expect(failed?.failedAt).toEqual(new Date(CREATED * 1_000));
  });

  it.each(["past_due", "unpaid"])("were paid later if it was %s before", (before) => {
    expect(told(before, "active", paid(PAID))).toEqual([
      { invoiceId: "in_2", failedAt: null, paidAt: new Date(PAID * 1_000) },
    ]);
  });

  it("were paid at the snapshot's time if Stripe does not report one", () => {
    expect(told("past_due", "active", paid(null))[0]?.paidAt).toEqual(AT);
  });

  it("are empty for a membership that owes nothing, now or before", () => {
    for (const before of ["active", null]) expect(told(before, "active", paid(PAID))).toEqual([]);
  });

  it("exclude older open invoices, drafts and other invoices", () => {
    const others = [
      invoice({ id: "in_1" }),
      invoice({ id: "in_0", status: "void" }),
      paid(PAID, { id: "in_3", billing_reason: "manual" }),
      paid(PAID, { id: "in_4", billing_reason: "subscription_create" }),
    ];
    expect(told("past_due", "past_due", ...others, invoice())).toEqual([FAILED]);
    expect(told("past_due", "past_due", invoice({ status: "draft" }))).toEqual([]);
  });
});
