import type Stripe from "stripe";
import { amountsOf, unitAmount } from "./amounts";
import { invalidRequest } from "./api-error";
import { emit } from "./events";
import { noSuch, requireObject } from "./objects";
import type { Sandbox } from "./sandbox";
import {
  type CheckoutSession,
  type Customer,
  newId,
  nulls,
  type Price,
  type Wire,
  wholeList,
} from "./wire";

/** Seconds until a session expires. */
const SESSION_SECONDS = 86_400;

type SessionDraft = {
  price: Price;
  quantity: number;
  customer: Customer;
  subscriptionMetadata: Record<string, string>;
  more: Partial<CheckoutSession>;
};

/** Creates a session for a subscription. Its page is at `url`. */
export function addSession(sandbox: Sandbox, draft: SessionDraft): CheckoutSession {
  const { price, quantity, customer, subscriptionMetadata } = draft;
  const amount = (price.unit_amount ?? 0) * quantity;
  const id = newId("cs_test", 58);
  const session: CheckoutSession = {
    id,
    object: "checkout.session",
    ...nulls(
      "adaptive_pricing after_expiration allow_promotion_codes allowed_payment_method_types",
      "billing_address_collection cancel_url client_reference_id client_secret",
      "collected_information consent consent_collection currency_conversion customer_account",
      "customer_creation customer_email integration_identifier invoice invoice_creation locale managed_payments",
      "origin_context payment_intent payment_link payment_method_configuration_details permissions",
      "recovered_from saved_payment_method_options setup_intent shipping_address_collection",
      "shipping_cost submit_type subscription success_url wallet_options",
    ),
    amount_subtotal: amount,
    amount_total: amount,
    automatic_tax: { enabled: false, ...nulls("liability provider status") },
    created: sandbox.now(),
    currency: price.currency,
    custom_fields: [],
    custom_text: nulls("after_submit shipping_address submit terms_of_service_acceptance"),
    customer: customer.id,
    customer_details: customerDetails(customer.email),
    discounts: [],
    expires_at: sandbox.now() + SESSION_SECONDS,
    livemode: false,
    metadata: {},
    mode: "subscription",
    payment_method_collection: "always",
    payment_method_options: { card: { request_three_d_secure: "automatic" } },
    payment_method_types: [
      ...["card", "us_bank_account"],
      ...(sandbox.state.offersCashApp ? ["cashapp"] : []),
    ],
    payment_status: "unpaid",
    phone_number_collection: { enabled: false },
    shipping_options: [],
    status: "open",
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: "hosted_page",
    url: pageOf(sandbox, id),
    ...draft.more,
  } satisfies Wire<Stripe.Checkout.Session>;
  sandbox.state.checkoutSessions.set(session.id, session);
  sandbox.state.checkoutDetails.set(session.id, {
    priceId: price.id,
    quantity,
    subscriptionMetadata,
    coupon: null,
    paymentIntentId: null,
  });
  sandbox.changed();
  return session;
}

function pageOf(sandbox: Sandbox, sessionId: string): string {
  return `${sandbox.pagesOrigin}/c/pay/${sessionId}`;
}

/** Updates the URLs of open sessions after the local Stripe has moved to another port. */
export function updateSessionUrls(sandbox: Sandbox): void {
  for (const session of sandbox.state.checkoutSessions.values()) {
    if (session.url !== null) session.url = pageOf(sandbox, session.id);
  }
  sandbox.changed();
}

/** Sets, and returns, what a session costs: in a currency, with the coupon of its promotion code and with tax. */
export function setAmounts(sandbox: Sandbox, session: CheckoutSession, currency: string): number {
  const details = sandbox.state.checkoutDetails.get(session.id);
  if (!details) throw noSuch("checkoutSessions", session.id);
  const price = requireObject(sandbox, "prices", details.priceId);
  const { subtotal, discount, tax, total } = amountsOf(
    sandbox,
    unitAmount(sandbox, price, currency) * details.quantity,
    details.coupon ?? {},
    session.automatic_tax.enabled,
  );
  session.currency = currency;
  session.amount_subtotal = subtotal;
  session.amount_total = total;
  session.total_details = { amount_discount: discount, amount_shipping: 0, amount_tax: tax };
  return total;
}

/** Whether a session requires consent to the terms of service. */
export function requiresTermsConsent(session: CheckoutSession): boolean {
  return session.consent_collection?.terms_of_service === "required";
}

/** Returns a session's `customer_details` for a customer with this email address. */
export function customerDetails(email: string | null): CheckoutSession["customer_details"] {
  const empty = nulls("address business_name individual_name name phone");
  return { ...empty, email, tax_exempt: "none", tax_ids: [] };
}

/** Expires an open session. Throws Stripe's error for any other. */
export function expireSession(sandbox: Sandbox, session: CheckoutSession): void {
  if (session.status !== "open") {
    throw invalidRequest(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of "${session.status}".`,
    );
  }
  session.status = "expired";
  session.url = null;
  sandbox.state.authentications.delete(session.id);
  emit(sandbox, "checkout.session.expired", session);
}

/** Returns a session's line items. */
export function sessionLineItems(
  sandbox: Sandbox,
  sessionId: string,
): Wire<Stripe.ApiList<Stripe.LineItem>> {
  const details = sandbox.state.checkoutDetails.get(sessionId);
  if (!details) throw noSuch("checkoutSessions", sessionId);
  const price = requireObject(sandbox, "prices", details.priceId);
  const amount = (price.unit_amount ?? 0) * details.quantity;
  return wholeList(`/v1/checkout/sessions/${sessionId}/line_items`, [
    {
      id: `li_${sessionId.slice(-24)}`,
      object: "item",
      adjustable_quantity: null,
      amount_discount: 0,
      amount_subtotal: amount,
      amount_tax: 0,
      amount_total: amount,
      currency: price.currency,
      description: sandbox.state.products.get(price.product)?.name ?? null,
      metadata: {},
      price,
      quantity: details.quantity,
    },
  ] satisfies Wire<Stripe.LineItem>[]);
}
