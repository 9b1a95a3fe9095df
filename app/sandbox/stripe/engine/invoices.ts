import type Stripe from "stripe";
import { isPresent } from "./customers";
import { emit, update } from "./events";
import type { Sandbox } from "./sandbox";
import {
  type Invoice,
  type InvoicePayment,
  newId,
  nulls,
  type PaymentIntent,
  type Price,
  type Subscription,
  type SubscriptionItem,
  type Wire,
  wholeList,
} from "./wire";

const DRAFT_SECONDS = 3_600;

/** Returns the id of the invoice's subscription. */
export function subscriptionOf(invoice: Invoice): string | null {
  return invoice.parent?.subscription_details?.subscription ?? null;
}

/** Returns a subscription's invoices, oldest first. */
export function invoicesOf(sandbox: Sandbox, subscription: Subscription): Invoice[] {
  return [...sandbox.state.invoices.values()].filter(
    (invoice) => subscriptionOf(invoice) === subscription.id,
  );
}

type Reason = "subscription_create" | "subscription_cycle";

/** Drafts an invoice for the item's current period. It is finalized after an hour. */
export function draftInvoice(
  sandbox: Sandbox,
  subscription: Subscription,
  item: SubscriptionItem,
  price: Price,
  reason: Reason,
): Invoice {
  const invoice = newInvoice(sandbox, subscription, item, price, reason);
  sandbox.state.invoices.set(invoice.id, invoice);
  emit(sandbox, "invoice.created", invoice);
  return invoice;
}

/** Returns an invoice for the item's current period, which is not stored. */
export function newInvoice(
  sandbox: Sandbox,
  subscription: Subscription,
  item: SubscriptionItem,
  price: Price,
  reason: Reason,
): Invoice {
  const customer = sandbox.state.customers.get(subscription.customer);
  const amount = (price.unit_amount ?? 0) * (item.quantity ?? 1);
  const now = sandbox.now();
  const id = newId("in");
  const isFirst = reason === "subscription_create";
  const line = {
    id: newId("il"),
    object: "line_item",
    amount,
    currency: price.currency,
    description: `${item.quantity ?? 1} × ${productName(sandbox, price)}`,
    discount_amounts: [],
    discountable: true,
    discounts: [],
    invoice: id,
    livemode: false,
    metadata: subscription.metadata,
    parent: {
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: false,
        proration_details: { credited_items: null },
        subscription: subscription.id,
        subscription_item: item.id,
      },
      type: "subscription_item_details",
    },
    period: { start: item.current_period_start, end: item.current_period_end },
    pretax_credit_amounts: [],
    pricing: {
      price_details: { price: price.id, product: price.product },
      type: "price_details",
      unit_amount_decimal: price.unit_amount_decimal,
    },
    quantity: item.quantity ?? 1,
    quantity_decimal: String(item.quantity ?? 1),
    subscription: subscription.id,
    subtotal: amount,
    taxes: [],
  } satisfies Wire<Stripe.InvoiceLineItem>;
  return {
    id,
    object: "invoice",
    ...nulls(
      "account_tax_ids application custom_fields customer_account customer_address customer_phone",
      "customer_shipping default_payment_method default_source description due_date effective_at",
      "ending_balance footer from_invoice hosted_invoice_url invoice_pdf last_finalization_error",
      "latest_revision next_payment_attempt number on_behalf_of receipt_number rendering",
      "shipping_cost shipping_details statement_descriptor test_clock webhooks_delivered_at",
    ),
    account_country: "US",
    account_name: "Local shop",
    amount_due: amount,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_remaining: amount,
    amount_shipping: 0,
    attempt_count: 0,
    attempted: false,
    auto_advance: true,
    automatic_tax: { enabled: false, ...nulls("disabled_reason liability provider status") },
    automatically_finalizes_at: now + DRAFT_SECONDS,
    billing_reason: reason,
    collection_method: "charge_automatically",
    created: now,
    currency: price.currency,
    customer: subscription.customer,
    customer_email: isPresent(customer) ? customer.email : null,
    customer_name: isPresent(customer) ? (customer.name ?? null) : null,
    customer_tax_exempt: "none",
    customer_tax_ids: [],
    default_tax_rates: [],
    discounts: [],
    issuer: { type: "self" },
    lines: wholeList(`/v1/invoices/${id}/lines`, [line]),
    livemode: false,
    metadata: {},
    parent: {
      quote_details: null,
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
      type: "subscription_details",
    },
    payment_settings: nulls("default_mandate payment_method_options payment_method_types"),
    // as at Stripe, an invoice's own period is the previous one, which is empty for the first invoice
    period_end: item.current_period_start,
    period_start: isFirst ? item.current_period_start : previousStart(sandbox, subscription),
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    starting_balance: 0,
    status: "draft",
    status_transitions: nulls("finalized_at marked_uncollectible_at paid_at voided_at"),
    subtotal: amount,
    subtotal_excluding_tax: amount,
    total: amount,
    total_discount_amounts: [],
    total_excluding_tax: amount,
    total_pretax_credit_amounts: [],
    total_taxes: [],
  } satisfies Wire<Stripe.Invoice>;
}

function productName(sandbox: Sandbox, price: Price): string {
  return sandbox.state.products.get(price.product)?.name ?? price.product;
}

function previousStart(sandbox: Sandbox, subscription: Subscription): number {
  const last = invoicesOf(sandbox, subscription).at(-1);
  return last?.lines.data[0]?.period.start ?? subscription.start_date;
}

/** Finalizes a draft, which gives it a number and a page. Ignores any other invoice. */
export function finalizeInvoice(sandbox: Sandbox, invoice: Invoice): void {
  if (invoice.status !== "draft") return;
  sandbox.state.invoiceCount += 1;
  invoice.status = "open";
  invoice.number = `SANDBOX-${String(sandbox.state.invoiceCount).padStart(4, "0")}`;
  invoice.automatically_finalizes_at = null;
  invoice.effective_at = sandbox.now();
  invoice.ending_balance = 0;
  invoice.status_transitions.finalized_at = sandbox.now();
  invoice.hosted_invoice_url = `${sandbox.origin}/i/${invoice.id}`;
  emit(sandbox, "invoice.finalized", invoice);
}

/** Marks an invoice as paid by an intent. */
export function payInvoice(sandbox: Sandbox, invoice: Invoice, intent: PaymentIntent): void {
  const now = sandbox.now();
  const payment = {
    id: newId("inpay"),
    object: "invoice_payment",
    amount_paid: invoice.amount_due,
    amount_requested: invoice.amount_due,
    created: now,
    currency: invoice.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: false,
    payment: { type: "payment_intent", payment_intent: intent.id },
    status: "paid",
    status_transitions: { canceled_at: null, paid_at: now },
  } satisfies InvoicePayment & Wire<Stripe.InvoicePayment>;
  sandbox.state.invoicePayments.set(payment.id, payment);
  closeInvoice(sandbox, invoice, "paid_at", {
    status: "paid",
    amount_paid: invoice.amount_due,
    amount_remaining: 0,
    attempted: true,
    attempt_count: invoice.attempt_count + 1,
  });
  emit(sandbox, "invoice_payment.paid", payment);
  emit(sandbox, "invoice.paid", invoice);
  emit(sandbox, "invoice.payment_succeeded", invoice);
}

/** Records a failed attempt. `nextAttempt` is the time of the next one in Unix seconds. */
export function recordFailedAttempt(
  sandbox: Sandbox,
  invoice: Invoice,
  nextAttempt: number | null,
  needsAction: boolean,
): void {
  update(sandbox, "invoice.updated", invoice, {
    attempted: true,
    attempt_count: invoice.attempt_count + 1,
    next_payment_attempt: nextAttempt,
  });
  if (needsAction) emit(sandbox, "invoice.payment_action_required", invoice);
  emit(sandbox, "invoice.payment_failed", invoice);
}

/** Why an invoice was written off; `user_forgiven` means by hand. */
export type WriteOffReason = "user_forgiven" | "subscription_paused";

/** Marks an open invoice as bad debt. It can still be paid (docs.stripe.com/invoicing/overview). */
export function markUncollectible(
  sandbox: Sandbox,
  invoice: Invoice,
  reason: WriteOffReason,
): void {
  closeInvoice(sandbox, invoice, "marked_uncollectible_at", {
    status: "uncollectible",
    status_details: { uncollectible: { reason } },
  });
  emit(sandbox, "invoice.marked_uncollectible", invoice);
}

/** Voids an invoice. */
export function voidInvoice(sandbox: Sandbox, invoice: Invoice): void {
  closeInvoice(sandbox, invoice, "voided_at", { status: "void" });
  emit(sandbox, "invoice.voided", invoice);
}

/** Ends an invoice's collection and records the time. */
function closeInvoice(
  sandbox: Sandbox,
  invoice: Invoice,
  transition: keyof Invoice["status_transitions"],
  values: Partial<Invoice>,
): void {
  update(sandbox, "invoice.updated", invoice, {
    status_details: undefined,
    auto_advance: false,
    next_payment_attempt: null,
    status_transitions: { ...invoice.status_transitions, [transition]: sandbox.now() },
    ...values,
  });
}
