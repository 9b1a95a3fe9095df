import type Stripe from "stripe";
import {
  ApiError,
  invalidParameter,
  invalidRequest,
  missingParameter,
} from "../../engine/api-error";
import {
  addSession,
  customerDetails,
  expireSession,
  SESSION_SECONDS,
} from "../../engine/checkout-sessions";
import { requireCustomer } from "../../engine/customers";
import { requireObject } from "../../engine/objects";
import type { Sandbox } from "../../engine/sandbox";
import { type Customer, nulls } from "../../engine/wire";
import { change, type Endpoint, endpoint, given, listOf, retrieve } from "../endpoint";
import {
  boolean,
  changeMetadata,
  email,
  hash,
  integer,
  list,
  metadata,
  oneOf,
  type ParametersOf,
  required,
  text,
  timestampFilter,
  url,
} from "../parameters";

const MIN_SESSION_SECONDS = 1_800;

const sessionCreate = {
  allow_promotion_codes: boolean(),
  automatic_tax: hash({ enabled: required(boolean()) }),
  cancel_url: url(),
  client_reference_id: text(200),
  // a real account must have the address of its terms in its settings; the sandbox has no such setting
  consent_collection: hash({ terms_of_service: oneOf("none", "required") }),
  customer: text(),
  customer_email: email(),
  customer_update: hash({
    address: oneOf("auto", "never"),
    name: oneOf("auto", "never"),
    shipping: oneOf("auto", "never"),
  } satisfies ParametersOf<Stripe.Checkout.SessionCreateParams.CustomerUpdate>),
  expires_at: integer(0),
  line_items: list(
    hash({
      price: text(),
      quantity: integer(1, 999_999),
    } satisfies ParametersOf<Stripe.Checkout.SessionCreateParams.LineItem>),
    20,
  ),
  locale: text(10),
  metadata: metadata(),
  mode: required(oneOf("subscription")),
  subscription_data: hash({
    description: text(500),
    metadata: metadata(),
  } satisfies ParametersOf<Stripe.Checkout.SessionCreateParams.SubscriptionData>),
  success_url: required(url()),
  ui_mode: oneOf("hosted_page"),
} satisfies ParametersOf<Stripe.Checkout.SessionCreateParams>;

const filters = {
  created: timestampFilter(),
  customer: text(),
  payment_intent: text(),
  status: oneOf("complete", "expired", "open"),
  subscription: text(),
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
  const price = requireObject(sandbox, "prices", item.price, "line_items[0][price]");
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

/** Checkout sessions, for one subscription each. */
export const checkoutSessionEndpoints: Endpoint[] = [
  endpoint("POST", "/v1/checkout/sessions", sessionCreate, ({ sandbox, values }) => {
    if (values.customer !== undefined && values.customer_email !== undefined) {
      throw invalidRequest(
        "You may only specify one of these parameters: customer, customer_email.",
      );
    }
    const item = checkedItem(sandbox, values.line_items);
    const customer = values.customer ? requireCustomer(sandbox, values.customer, "customer") : null;
    checkTaxAddress(customer, values.automatic_tax?.enabled, values.customer_update);
    const { metadata, subscription_data: subscription } = given(values);
    return addSession(sandbox, {
      ...item,
      subscriptionMetadata: changeMetadata({}, subscription?.metadata),
      subscriptionDescription: subscription?.description ?? null,
      customer,
      successUrl: values.success_url,
      more: {
        allow_promotion_codes: values.allow_promotion_codes ?? null,
        ...(values.automatic_tax?.enabled && {
          automatic_tax: {
            enabled: true,
            liability: { type: "self" },
            provider: "stripe",
            status: "requires_location_inputs",
          },
        }),
        ...(values.consent_collection && {
          consent_collection: {
            ...nulls("payment_method_reuse_agreement promotions"),
            terms_of_service: values.consent_collection.terms_of_service ?? null,
          },
        }),
        cancel_url: values.cancel_url ?? null,
        client_reference_id: values.client_reference_id ?? null,
        ...(values.customer_email && {
          customer_email: values.customer_email,
          customer_details: customerDetails(values.customer_email),
        }),
        expires_at: checkedExpiry(sandbox, values.expires_at),
        locale: values.locale ?? null,
        metadata,
      },
    });
  }),
  listOf("/v1/checkout/sessions", "checkoutSessions", filters),
  retrieve("/v1/checkout/sessions/:id", "checkoutSessions"),
  change("/v1/checkout/sessions/:id", "checkoutSessions", null, { metadata: metadata() }),
  endpoint("POST", "/v1/checkout/sessions/:id/expire", {}, ({ sandbox, id }) => {
    const session = requireObject(sandbox, "checkoutSessions", id);
    expireSession(sandbox, session);
    return session;
  }),
];
