import type Stripe from "stripe";
import {
  ApiError,
  invalidParameter,
  invalidRequest,
  resourceMissing,
} from "../../engine/api-error";
import {
  addSession,
  customerDetails,
  expireSession,
  requireSession,
  SESSION_SECONDS,
} from "../../engine/checkout-sessions";
import { checkCustomerFilter, requireCustomer } from "../../engine/customers";
import type { Sandbox } from "../../engine/sandbox";
import type { Customer } from "../../engine/wire";
import { type Endpoint, endpoint } from "../endpoint";
import { missingParameter } from "../errors";
import { paginate } from "../pagination";
import {
  boolean,
  changeMetadata,
  email,
  expand,
  hash,
  ignored,
  integer,
  list,
  metadata,
  oneOf,
  onlyExpand,
  type ParametersOf,
  paging,
  required,
  text,
  timestampFilter,
  unsupported,
  url,
} from "../parameters";

const MIN_SESSION_SECONDS = 1_800;

const lineItem = hash({
  price: text(),
  quantity: integer(1, 999_999),
  ...unsupported("adjustable_quantity", "metadata", "price_data", "tax_rates"),
} satisfies ParametersOf<Stripe.Checkout.SessionCreateParams.LineItem>);

const subscriptionData = hash({
  description: text(500),
  metadata: metadata(),
  billing_mode: hash({
    type: required(oneOf("flexible")),
    ...ignored("flexible"),
  } satisfies ParametersOf<Stripe.Checkout.SessionCreateParams.SubscriptionData.BillingMode>),
  ...unsupported(
    "application_fee_percent",
    "billing_cycle_anchor",
    "billing_cycle_anchor_config",
    "default_tax_rates",
    "invoice_settings",
    "on_behalf_of",
    "pending_invoice_item_interval",
    "proration_behavior",
    "transfer_data",
    "trial_end",
    "trial_period_days",
    "trial_settings",
  ),
} satisfies ParametersOf<Stripe.Checkout.SessionCreateParams.SubscriptionData>);

const automaticTax = hash({
  enabled: required(boolean()),
  ...unsupported("liability"),
} satisfies ParametersOf<Stripe.Checkout.SessionCreateParams.AutomaticTax>);

// a real account must have the address of its terms in its settings; the sandbox has no such setting
const consentCollection = hash({
  terms_of_service: oneOf("none", "required"),
  ...ignored("payment_method_reuse_agreement"),
  ...unsupported("promotions"),
} satisfies ParametersOf<Stripe.Checkout.SessionCreateParams.ConsentCollection>);

const customerUpdate = hash({
  address: oneOf("auto", "never"),
  name: oneOf("auto", "never"),
  shipping: oneOf("auto", "never"),
} satisfies ParametersOf<Stripe.Checkout.SessionCreateParams.CustomerUpdate>);

const sessionCreate = {
  allow_promotion_codes: boolean(),
  automatic_tax: automaticTax,
  billing_address_collection: oneOf("auto", "required"),
  cancel_url: url(),
  client_reference_id: text(200),
  consent_collection: consentCollection,
  customer: text(),
  customer_email: email(),
  customer_update: customerUpdate,
  expand,
  expires_at: integer(0),
  integration_identifier: text(200),
  line_items: list(lineItem, 20),
  locale: text(10),
  metadata: metadata(),
  mode: oneOf("payment", "setup", "subscription"),
  origin_context: oneOf("mobile_app", "web"),
  payment_method_collection: oneOf("always", "if_required"),
  subscription_data: subscriptionData,
  success_url: url(),
  submit_type: oneOf("auto", "book", "donate", "pay", "subscribe"),
  ui_mode: oneOf("elements", "embedded_page", "form", "hosted_page"),
  // appearance of the page, and what else it asks for: of no effect on the sandbox's page
  ...ignored(
    "adaptive_pricing",
    "allowed_payment_method_types",
    "branding_settings",
    "custom_text",
    "excluded_payment_method_types",
    "payment_method_data",
    "payment_method_options",
    "phone_number_collection",
    "saved_payment_method_options",
    "wallet_options",
  ),
  ...unsupported(
    "after_expiration",
    "currency",
    "custom_fields",
    "customer_account",
    "customer_creation",
    "discounts",
    "invoice_creation",
    "managed_payments",
    "name_collection",
    "optional_items",
    "payment_intent_data",
    "payment_method_configuration",
    "permissions",
    "redirect_on_completion",
    "return_url",
    "setup_intent_data",
    "shipping_address_collection",
    "shipping_options",
    "tax_id_collection",
  ),
} satisfies ParametersOf<Stripe.Checkout.SessionCreateParams>;

const sessionUpdate = {
  expand,
  metadata: metadata(),
  ...unsupported("collected_information", "line_items", "payment_intent_data", "shipping_options"),
} satisfies ParametersOf<Stripe.Checkout.SessionUpdateParams>;

const sessionList = {
  ...paging,
  created: timestampFilter(),
  customer: text(),
  customer_details: hash({
    email: required(text(512)),
  } satisfies ParametersOf<Stripe.Checkout.SessionListParams.CustomerDetails>),
  payment_intent: text(),
  status: oneOf("complete", "expired", "open"),
  subscription: text(),
  ...unsupported("customer_account", "payment_link"),
} satisfies ParametersOf<Stripe.Checkout.SessionListParams>;

type LineItem = { price?: string; quantity?: number };

/** The session's one line item, with Stripe's checks. */
function checkedItem(sandbox: Sandbox, items: LineItem[] | undefined) {
  const [item, ...others] = items ?? [];
  if (!item) throw missingParameter("line_items");
  if (others.length > 0) {
    throw invalidParameter(
      "line_items",
      "The local Stripe sandbox supports one line item a session.",
    );
  }
  if (item.price === undefined) throw missingParameter("line_items[0][price]");
  const price = sandbox.state.prices.get(item.price);
  if (!price) throw resourceMissing("price", item.price, "line_items[0][price]");
  if (!price.active) {
    throw invalidParameter(
      "line_items[0][price]",
      `The price specified is inactive. This field only accepts active prices.`,
    );
  }
  if (price.type !== "recurring") {
    throw invalidRequest(
      "You must provide at least one recurring price in `subscription` mode when using prices.",
    );
  }
  if (item.quantity === undefined) {
    throw invalidParameter(
      "line_items[0][quantity]",
      "Quantity is required. Add `quantity` to `line_items[0]`",
    );
  }
  return { priceId: price.id, quantity: item.quantity };
}

function checkedExpiry(sandbox: Sandbox, expiresAt: number | undefined): number {
  const now = sandbox.now();
  if (expiresAt === undefined) return now + SESSION_SECONDS;
  if (expiresAt < now + MIN_SESSION_SECONDS) {
    throw invalidParameter(
      "expires_at",
      "The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.",
    );
  }
  if (expiresAt > now + SESSION_SECONDS) {
    throw invalidParameter(
      "expires_at",
      "The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.",
    );
  }
  return expiresAt;
}

/**
 * Tax is calculated from an address: a customer without one must be updated with the one that is entered
 * (docs.stripe.com/tax/checkout#existing-customers).
 */
function checkTaxAddress(
  customer: Customer | null,
  wanted: boolean | undefined,
  update: { address?: string; shipping?: string } | undefined,
): void {
  if (customer === null && update !== undefined) {
    throw invalidRequest("`customer_update` can only be used with `customer`.");
  }
  const isSaved = update?.address === "auto" || update?.shipping === "auto";
  if (wanted && customer && !isSaved && customer.address == null) {
    throw new ApiError(400, {
      type: "invalid_request_error",
      code: "customer_tax_location_invalid",
      message:
        "Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to the Customer or set either `customer_update[address]` to 'auto' or `customer_update[shipping]` to 'auto' to save the address entered in Checkout to the Customer.",
    });
  }
}

export const checkoutSessionEndpoints: Endpoint[] = [
  endpoint("POST", "/v1/checkout/sessions", sessionCreate, ({ sandbox, values }) => {
    if (values.mode !== "subscription") {
      throw invalidParameter(
        "mode",
        "The local Stripe sandbox supports sessions with `mode` 'subscription' only.",
      );
    }
    if (values.ui_mode !== undefined && values.ui_mode !== "hosted_page") {
      throw invalidParameter(
        "ui_mode",
        "The local Stripe sandbox supports sessions with `ui_mode` 'hosted_page' only.",
      );
    }
    if (values.customer !== undefined && values.customer_email !== undefined) {
      throw invalidRequest(
        "You may only specify one of these parameters: customer, customer_email.",
      );
    }
    if (values.success_url === undefined) throw missingParameter("success_url");
    const item = checkedItem(sandbox, values.line_items);
    const customer =
      values.customer === undefined ? null : requireCustomer(sandbox, values.customer, "customer");
    const isTaxed = values.automatic_tax?.enabled;
    checkTaxAddress(customer, isTaxed, values.customer_update);
    const terms = values.consent_collection?.terms_of_service;
    return addSession(sandbox, {
      ...item,
      subscriptionMetadata: changeMetadata({}, values.subscription_data?.metadata),
      subscriptionDescription: values.subscription_data?.description ?? null,
      customer,
      successUrl: values.success_url,
      more: {
        allow_promotion_codes: values.allow_promotion_codes ?? null,
        ...(isTaxed
          ? {
              automatic_tax: {
                enabled: true,
                liability: { type: "self" },
                provider: "stripe",
                status: "requires_location_inputs",
              },
            }
          : {}),
        ...(values.consent_collection
          ? {
              consent_collection: {
                payment_method_reuse_agreement: null,
                promotions: null,
                terms_of_service: terms ?? null,
              },
            }
          : {}),
        billing_address_collection: values.billing_address_collection ?? null,
        cancel_url: values.cancel_url ?? null,
        client_reference_id: values.client_reference_id ?? null,
        customer_email: values.customer_email ?? null,
        ...(values.customer_email
          ? { customer_details: customerDetails(values.customer_email) }
          : {}),
        expires_at: checkedExpiry(sandbox, values.expires_at),
        integration_identifier: values.integration_identifier ?? null,
        locale: values.locale ?? null,
        metadata: changeMetadata({}, values.metadata),
        origin_context: values.origin_context ?? null,
        payment_method_collection: values.payment_method_collection ?? "always",
        submit_type: values.submit_type ?? null,
      },
    });
  }),
  endpoint("GET", "/v1/checkout/sessions", sessionList, (call) => {
    const { created, customer, customer_details, payment_intent, status, subscription } =
      call.values;
    checkCustomerFilter(call.sandbox, customer);
    return paginate(
      call,
      "checkout.session",
      call.sandbox.state.checkoutSessions.values(),
      (session) =>
        (customer === undefined || session.customer === customer) &&
        (customer_details === undefined ||
          session.customer_details?.email === customer_details.email) &&
        (payment_intent === undefined || session.payment_intent === payment_intent) &&
        (status === undefined || session.status === status) &&
        (subscription === undefined || session.subscription === subscription) &&
        (created?.(session.created) ?? true),
    );
  }),
  endpoint("GET", "/v1/checkout/sessions/:id", onlyExpand, ({ sandbox, id }) =>
    requireSession(sandbox, id),
  ),
  endpoint("POST", "/v1/checkout/sessions/:id", sessionUpdate, ({ sandbox, id, values }) => {
    const session = requireSession(sandbox, id);
    session.metadata = changeMetadata(session.metadata ?? {}, values.metadata);
    sandbox.changed();
    return session;
  }),
  endpoint("POST", "/v1/checkout/sessions/:id/expire", onlyExpand, ({ sandbox, id }) => {
    const session = requireSession(sandbox, id);
    expireSession(sandbox, session);
    return session;
  }),
];
