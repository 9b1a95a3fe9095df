import type Stripe from "stripe";
import { expect, it } from "vitest";
import { findOpenInvoice } from "./open-invoice";

/** An invoice that Stripe is trying to collect, unless told otherwise. */
const invoice = (more: Partial<Stripe.Invoice> = {}) =>
  ({
    id: "in_2",
    status: "open",
    attempted: true,
    auto_advance: true,
    collection_method: "charge_automatically",
    ...more,
  }) as Stripe.Invoice;

const find = (latest_invoice: unknown, ...invoices: Stripe.Invoice[]) =>
  findOpenInvoice({ invoices, subscription: { latest_invoice } as Stripe.Subscription })?.id;

it("finds the newest invoice, however the subscription refers to it", () => {
  const older = invoice({ id: "in_1" });
  expect(find("in_2", older, invoice())).toBe("in_2");
  expect(find({ id: "in_2" }, invoice(), older)).toBe("in_2");
});

it("finds none where the newest was not read, though an older one is open", () => {
  expect(find("in_3", invoice())).toBeUndefined();
  expect(find(null, invoice())).toBeUndefined();
  expect(find("in_2")).toBeUndefined();
});

it.each<[string, Partial<Stripe.Invoice>]>([
  ["paid", { status: "paid" }],
  ["not tried yet", { attempted: false }],
  ["not collected any more", { auto_advance: false }],
  ["paid manually", { collection_method: "send_invoice" }],
])("finds none where the newest is %s", (_what, more) => {
  expect(find("in_2", invoice(more))).toBeUndefined();
});
