import type Stripe from "stripe";
import { ApiError, invalidRequest } from "../../engine/api-error";
import { findIntent, subscriptionOf } from "../../engine/invoices";
import { requireObject } from "../../engine/objects";
import { refundCharge } from "../../engine/refunds";
import { collectInvoice, previewInvoice } from "../../engine/subscription-lifecycle";
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

const disputeFilters = { charge: text() } satisfies ParametersOf<Stripe.DisputeListParams>;

const invoiceFilters = { customer: text() } satisfies ParametersOf<Stripe.InvoiceListParams>;

const invoiceUpdate = {
  auto_advance: boolean(),
  metadata: metadata(),
} satisfies ParametersOf<Stripe.InvoiceUpdateParams>;

// of a subscription's next invoice, without changes to it
const invoicePreview = {
  customer: text(),
  subscription: required(text()),
} satisfies ParametersOf<Stripe.InvoiceCreatePreviewParams>;

const refundCreate = { charge: required(text()) } satisfies ParametersOf<Stripe.RefundCreateParams>;

/** Invoices, charges, refunds and disputes, and the payment intents and methods behind them. */
export const paymentEndpoints: Endpoint[] = [
  retrieve("/v1/payment_intents/:id", "paymentIntents"),
  retrieve("/v1/payment_methods/:id", "paymentMethods"),
  listOf("/v1/charges", "charges", { filters: chargeFilters }),
  retrieve("/v1/charges/:id", "charges"),
  listOf("/v1/disputes", "disputes", { filters: disputeFilters }),

  listOf("/v1/invoices", "invoices", {
    filters: invoiceFilters,
    parameters: { subscription: text() },
    matches: (invoice, { subscription }) =>
      subscription === undefined || subscriptionOf(invoice) === subscription,
  }),
  endpoint(
    "POST",
    "/v1/invoices/create_preview",
    invoicePreview,
    ({ sandbox, values: { subscription: id } }) => {
      const subscription = requireObject(sandbox, "subscriptions", id, "subscription");
      const invoice = previewInvoice(sandbox, subscription);
      if (invoice) return invoice;
      throw new ApiError(404, {
        type: "invalid_request_error",
        code: "invoice_upcoming_none",
        message: `No upcoming invoices for customer: ${subscription.customer}`,
      });
    },
  ),
  change("/v1/invoices/:id", "invoices", "invoice.updated", invoiceUpdate),
  endpoint("POST", "/v1/invoices/:id/pay", {}, ({ sandbox, id }) => {
    const invoice = requireObject(sandbox, "invoices", id);
    if (invoice.status === "paid") throw invalidRequest("Invoice is already paid");
    if (invoice.status === "void") {
      throw invalidRequest("Invoice is void and cannot be paid", "invoice_not_editable");
    }
    if (findIntent(sandbox, invoice)?.status === "processing") {
      throw invalidRequest("This invoice has a payment that is processing.");
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
