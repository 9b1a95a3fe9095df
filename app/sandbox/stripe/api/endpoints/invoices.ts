import type Stripe from "stripe";
import { ApiError, invalidRequest } from "../../engine/api-error";
import { checkCustomerFilter } from "../../engine/customers";
import { update } from "../../engine/events";
import { requireInvoice, subscriptionOf } from "../../engine/invoices";
import { requirePaymentMethod } from "../../engine/payment-methods";
import { collectInvoice } from "../../engine/subscription-lifecycle";
import { type Endpoint, endpoint } from "../endpoint";
import { paginate } from "../pagination";
import {
  boolean,
  changeMetadata,
  expand,
  metadata,
  oneOf,
  type ParametersOf,
  paging,
  text,
  timestampFilter,
  unsupported,
} from "../parameters";

const invoiceStatus = oneOf("draft", "open", "paid", "uncollectible", "void");

const invoiceList = {
  ...paging,
  collection_method: oneOf("charge_automatically", "send_invoice"),
  created: timestampFilter(),
  customer: text(),
  status: invoiceStatus,
  subscription: text(),
  ...unsupported("customer_account", "due_date"),
} satisfies ParametersOf<Stripe.InvoiceListParams>;

const invoiceUpdate = {
  auto_advance: boolean(),
  expand,
  metadata: metadata(),
  ...unsupported(
    "account_tax_ids",
    "application_fee_amount",
    "automatic_tax",
    "automatically_finalizes_at",
    "collection_method",
    "custom_fields",
    "days_until_due",
    "default_payment_method",
    "default_source",
    "default_tax_rates",
    "description",
    "discounts",
    "due_date",
    "effective_at",
    "footer",
    "issuer",
    "number",
    "on_behalf_of",
    "payment_settings",
    "rendering",
    "shipping_cost",
    "shipping_details",
    "statement_descriptor",
    "transfer_data",
  ),
} satisfies ParametersOf<Stripe.InvoiceUpdateParams>;

const invoicePay = {
  expand,
  off_session: boolean(),
  payment_method: text(),
  ...unsupported("forgive", "mandate", "paid_out_of_band", "source"),
} satisfies ParametersOf<Stripe.InvoicePayParams>;

export const invoiceEndpoints: Endpoint[] = [
  endpoint("GET", "/v1/invoices", invoiceList, (call) => {
    const { collection_method, created, customer, status, subscription } = call.values;
    checkCustomerFilter(call.sandbox, customer);
    return paginate(
      call,
      "invoice",
      call.sandbox.state.invoices.values(),
      (invoice) =>
        (customer === undefined || invoice.customer === customer) &&
        (status === undefined || invoice.status === status) &&
        (subscription === undefined || subscriptionOf(invoice) === subscription) &&
        (collection_method === undefined || invoice.collection_method === collection_method) &&
        (created?.(invoice.created) ?? true),
    );
  }),
  endpoint("POST", "/v1/invoices/:id", invoiceUpdate, ({ sandbox, id, values }) => {
    const invoice = requireInvoice(sandbox, id);
    update(sandbox, "invoice.updated", invoice, () => {
      invoice.auto_advance = values.auto_advance ?? invoice.auto_advance;
      invoice.metadata = changeMetadata(invoice.metadata ?? {}, values.metadata);
    });
    return invoice;
  }),
  endpoint("POST", "/v1/invoices/:id/pay", invoicePay, ({ sandbox, id, values }) => {
    const invoice = requireInvoice(sandbox, id);
    if (invoice.status === "paid") throw invalidRequest("Invoice is already paid");
    if (invoice.status === "void") {
      throw invalidRequest("Invoice is void and cannot be paid", "invoice_not_editable");
    }
    const chosen =
      values.payment_method === undefined
        ? undefined
        : requirePaymentMethod(sandbox, values.payment_method, "payment_method");
    const outcome = collectInvoice(sandbox, invoice, { chosen });
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
];
