import type Stripe from "stripe";
import { ApiError, invalidRequest } from "../../engine/api-error";
import { subscriptionOf } from "../../engine/invoices";
import { requireObject } from "../../engine/objects";
import { refundCharge } from "../../engine/refunds";
import { collectInvoice } from "../../engine/subscription-lifecycle";
import { change, type Endpoint, endpoint, listOf, retrieve } from "../endpoint";
import {
  boolean,
  metadata,
  type ParametersOf,
  required,
  text,
  timestampFilter,
} from "../parameters";

const chargeFilters = {
  created: timestampFilter(),
  customer: text(),
} satisfies ParametersOf<Stripe.ChargeListParams>;

const disputeFilters = {
  charge: text(),
} satisfies ParametersOf<Stripe.DisputeListParams>;

const invoiceFilters = {
  customer: text(),
} satisfies ParametersOf<Stripe.InvoiceListParams>;

const invoiceUpdate = {
  auto_advance: boolean(),
  metadata: metadata(),
} satisfies ParametersOf<Stripe.InvoiceUpdateParams>;

const refundCreate = {
  charge: required(text()),
} satisfies ParametersOf<Stripe.RefundCreateParams>;

/** Invoices, charges, refunds and disputes. */
export const paymentEndpoints: Endpoint[] = [
  listOf("/v1/charges", "charges", { filters: chargeFilters }),
  retrieve("/v1/charges/:id", "charges"),
  listOf("/v1/disputes", "disputes", { filters: disputeFilters }),

  listOf("/v1/invoices", "invoices", {
    filters: invoiceFilters,
    parameters: { subscription: text() },
    matches: (invoice, { subscription }) =>
      subscription === undefined || subscriptionOf(invoice) === subscription,
  }),
  change("/v1/invoices/:id", "invoices", "invoice.updated", invoiceUpdate),
  endpoint("POST", "/v1/invoices/:id/pay", {}, ({ sandbox, id }) => {
    const invoice = requireObject(sandbox, "invoices", id);
    if (invoice.status === "paid") throw invalidRequest("Invoice is already paid");
    if (invoice.status === "void") {
      throw invalidRequest("Invoice is void and cannot be paid", "invoice_not_editable");
    }
    const outcome = collectInvoice(sandbox, invoice);
    if (outcome.kind === "declined") {
      throw new ApiError(402, {
        type: "card_error",
        code: outcome.code,
        decline_code: outcome.declineCode,
        message: outcome.message,
      });
    }
    if (outcome.kind === "authentication") {
      throw new ApiError(402, {
        type: "card_error",
        code: "invoice_payment_intent_requires_action",
        message:
          "This payment requires additional user action before it can be completed successfully.",
      });
    }
    return invoice;
  }),

  endpoint("POST", "/v1/refunds", refundCreate, ({ sandbox, values: { charge } }) =>
    refundCharge(sandbox, requireObject(sandbox, "charges", charge, "charge")),
  ),
];
