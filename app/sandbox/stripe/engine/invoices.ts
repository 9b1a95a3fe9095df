import type Stripe from "stripe";
import { amountsOf, discountAt, unitAmount } from "./amounts";
import { isPresent } from "./customers";
import { emit, update } from "./events";
import { addPaymentIntent } from "./payments";
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

/** A line of an invoice: a period at a price, or a negative amount for unused time. */
export type LineDraft = {
  price: Price;
  period: { start: number; end: number };
  /** Before discount and tax, in the minor unit of the subscription's currency. */
  amount: number;
  description?: string;
};

/** Returns the line for an item's current period, at a price. */
export function periodLine(
  sandbox: Sandbox,
  subscription: Subscription,
  item: SubscriptionItem,
  price: Price,
): LineDraft {
  const quantity = item.quantity ?? 1;
  return {
    price,
    amount: unitAmount(sandbox, price, subscription.currency) * quantity,
    period: { start: item.current_period_start, end: item.current_period_end },
    description: `${quantity} × ${productName(sandbox, price)}`,
  };
}

/** Drafts an invoice. It is finalized after an hour. */
export function draftInvoice(
  sandbox: Sandbox,
  subscription: Subscription,
  item: SubscriptionItem,
  lines: LineDraft[],
  reason: "subscription_create" | "subscription_cycle" | "subscription_update",
): Invoice {
  const invoice = composeInvoice(sandbox, subscription, item, lines, reason, sandbox.now());
  sandbox.state.invoices.set(invoice.id, invoice);
  emit(sandbox, "invoice.created", invoice);
  return invoice;
}

/** Composes an invoice, as created at Unix seconds, without storing it. */
export function composeInvoice(
  sandbox: Sandbox,
  subscription: Subscription,
  item: SubscriptionItem,
  drafts: LineDraft[],
  reason: Invoice["billing_reason"],
  at: number,
): Invoice {
  const customer = sandbox.state.customers.get(subscription.customer);
  const id = newId("in");
  const discount = discountAt(sandbox, subscription, at);
  const isTaxed = subscription.automatic_tax.enabled;
  const parts = drafts.map((draft) => ({
    draft,
    amounts: amountsOf(sandbox, draft.amount, discount?.coupon, isTaxed),
  }));
  const discounted = (amount: number) =>
    discount && amount > 0 ? [{ amount, discount: discount.id }] : [];
  const taxed = (amount: number, taxable_amount: number) => {
    const tax = {
      amount,
      tax_behavior: "exclusive" as const,
      tax_rate_details: null,
      taxability_reason: "standard_rated" as const,
      taxable_amount,
      type: "tax_rate_details" as const,
    };
    return isTaxed ? [tax] : [];
  };
  const lines = parts.map(({ draft, amounts }) => {
    return {
      id: newId("il"),
      object: "line_item",
      amount: draft.amount,
      currency: subscription.currency,
      description: draft.description ?? `Unused time on ${productName(sandbox, draft.price)}`,
      discount_amounts: discounted(amounts.discount),
      discountable: true,
      discounts: discount ? [discount.id] : [],
      invoice: id,
      livemode: false,
      metadata: subscription.metadata,
      parent: {
        invoice_item_details: null,
        subscription_item_details: {
          invoice_item: null,
          proration: draft.amount < 0,
          proration_details: { credited_items: null },
          subscription: subscription.id,
          subscription_item: item.id,
        },
        type: "subscription_item_details",
      },
      period: draft.period,
      pretax_credit_amounts: [],
      pricing: {
        price_details: { price: draft.price.id, product: draft.price.product },
        type: "price_details",
        unit_amount_decimal: String(draft.amount / (item.quantity ?? 1)),
      },
      quantity: item.quantity ?? 1,
      quantity_decimal: String(item.quantity ?? 1),
      subscription: subscription.id,
      subtotal: draft.amount,
      taxes: taxed(amounts.tax, amounts.net),
    } satisfies Wire<Stripe.InvoiceLineItem>;
  });
  const sum = (part: "subtotal" | "discount" | "net" | "tax" | "total") =>
    parts.reduce((total, { amounts }) => total + amounts[part], 0);
  const total = sum("total");
  const balance = isPresent(customer) ? customer.balance : 0;
  const due = Math.max(0, total + balance);
  const isFirst = reason === "subscription_create";
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
    amount_due: due,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_remaining: due,
    amount_shipping: 0,
    attempt_count: 0,
    attempted: false,
    auto_advance: true,
    automatic_tax: {
      enabled: isTaxed,
      ...nulls("disabled_reason liability provider"),
      status: isTaxed ? "complete" : null,
    },
    automatically_finalizes_at: at + DRAFT_SECONDS,
    billing_reason: reason,
    collection_method: "charge_automatically",
    created: at,
    currency: subscription.currency,
    customer: subscription.customer,
    customer_email: isPresent(customer) ? customer.email : null,
    customer_name: isPresent(customer) ? (customer.name ?? null) : null,
    customer_tax_exempt: "none",
    customer_tax_ids: [],
    default_tax_rates: [],
    discounts: discount ? [discount.id] : [],
    issuer: { type: "self" },
    lines: wholeList(`/v1/invoices/${id}/lines`, lines),
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
    starting_balance: balance,
    status: "draft",
    status_transitions: nulls("finalized_at marked_uncollectible_at paid_at voided_at"),
    subtotal: sum("subtotal"),
    subtotal_excluding_tax: sum("subtotal"),
    total,
    total_discount_amounts: discounted(sum("discount")),
    total_excluding_tax: sum("net"),
    total_pretax_credit_amounts: [],
    total_taxes: taxed(sum("tax"), sum("net")),
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
  const { customer: customerId, starting_balance, total, amount_due } = invoice;
  invoice.ending_balance = starting_balance + total - amount_due;
  const customer = sandbox.state.customers.get(customerId ?? "");
  // a credit is kept for later invoices
  if (isPresent(customer)) {
    update(sandbox, "customer.updated", customer, { balance: invoice.ending_balance });
  }
  invoice.status_transitions.finalized_at = sandbox.now();
  invoice.hosted_invoice_url = `${sandbox.origin}/i/${invoice.id}`;
  emit(sandbox, "invoice.finalized", invoice);
}

/** Returns the payment by which an invoice was, is or will be paid. */
function paymentOf(sandbox: Sandbox, invoice: Invoice): InvoicePayment | undefined {
  return [...sandbox.state.invoicePayments.values()].find((one) => one.invoice === invoice.id);
}

/** Makes an intent the payment of an invoice. It is open until the intent succeeds. */
export function addInvoicePayment(
  sandbox: Sandbox,
  invoice: Invoice,
  intent: PaymentIntent,
): InvoicePayment {
  const payment = {
    id: newId("inpay"),
    object: "invoice_payment",
    amount_paid: null,
    amount_requested: invoice.amount_due,
    created: sandbox.now(),
    currency: invoice.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: false,
    payment: { type: "payment_intent", payment_intent: intent.id },
    status: "open",
    status_transitions: { canceled_at: null, paid_at: null },
  } satisfies InvoicePayment & Wire<Stripe.InvoicePayment>;
  sandbox.state.invoicePayments.set(payment.id, payment);
  return payment;
}

/** Returns the payment intent of an invoice, which all attempts share; undefined before the first. */
export function findIntent(sandbox: Sandbox, invoice: Invoice): PaymentIntent | undefined {
  const { payment } = paymentOf(sandbox, invoice) ?? {};
  return sandbox.state.paymentIntents.get(payment?.payment_intent ?? "");
}

/** Returns the payment intent of an invoice; creates it for the amount due before the first attempt. */
export function intentFor(sandbox: Sandbox, invoice: Invoice): PaymentIntent {
  const known = findIntent(sandbox, invoice);
  if (known) return known;
  const isFirst = invoice.billing_reason === "subscription_create";
  const intent = addPaymentIntent(sandbox, {
    customerId: invoice.customer ?? "",
    amount: invoice.amount_due,
    currency: invoice.currency,
    description: isFirst ? "Subscription creation" : "Subscription update",
  });
  addInvoicePayment(sandbox, invoice, intent);
  return intent;
}

/** Marks an invoice as paid by an intent; null if nothing is due. */
export function payInvoice(sandbox: Sandbox, invoice: Invoice, intent: PaymentIntent | null): void {
  const now = sandbox.now();
  const payment =
    intent && (paymentOf(sandbox, invoice) ?? addInvoicePayment(sandbox, invoice, intent));
  if (payment) {
    Object.assign(payment, { status: "paid", amount_paid: invoice.amount_due });
    payment.status_transitions.paid_at = now;
  }
  closeInvoice(sandbox, invoice, "paid_at", {
    status: "paid",
    amount_paid: invoice.amount_due,
    amount_remaining: 0,
    attempted: true,
    attempt_count: invoice.attempt_count + 1,
  });
  if (payment) emit(sandbox, "invoice_payment.paid", payment);
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
