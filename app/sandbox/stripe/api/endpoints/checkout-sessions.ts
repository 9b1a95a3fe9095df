import type Stripe from "stripe";
import {
  ApiError,
  invalidParameter,
  invalidRequest,
  missingParameter,
} from "../../engine/api-error";
import { addSession, expireSession } from "../../engine/checkout-sessions";
import { requireCustomer } from "../../engine/customers";
import { requireObject } from "../../engine/objects";
import type { Sandbox } from "../../engine/sandbox";
import { type Customer, nulls, type Price, pick } from "../../engine/wire";
import { change, type Endpoint, endpoint, given, listOf, retrieve } from "../endpoint";
import {
  boolean,
  changeMetadata,
  hash,
  integer,
  list,
  metadata,
  oneOf,
  type ParametersOf,
  required,
  text,
  url,
} from "../parameters";

const sessionCreate = {
  allow_promotion_codes: boolean(),
  automatic_tax: hash({ enabled: required(boolean()) }),
  cancel_url: url(),
  client_reference_id: text(200),
  consent_collection: hash({ terms_of_service: oneOf("none", "required") }),
  customer: required(text()),
  customer_update: hash({
    address: oneOf("auto", "never"),
    name: oneOf("auto", "never"),
    shipping: oneOf("auto", "never"),
  } satisfies ParametersOf<Stripe.Checkout.SessionCreateParams.CustomerUpdate>),
  // exactly one, with its quantity
  line_items: required(
    list(
      hash({
        price: required(text()),
        quantity: required(integer(1, 999_999)),
      } satisfies ParametersOf<Stripe.Checkout.SessionCreateParams.LineItem>),
      1,
    ),
  ),
  metadata: metadata(),
  mode: required(oneOf("subscription")),
  subscription_data: hash({ metadata: metadata() }),
  success_url: required(url()),
} satisfies ParametersOf<Stripe.Checkout.SessionCreateParams>;

const filters = {
  customer: text(),
  status: oneOf("complete", "expired", "open"),
} satisfies ParametersOf<Stripe.Checkout.SessionListParams>;

/** Returns the price of a session's line item after Stripe's checks. */
function checkedPrice(sandbox: Sandbox, id: string): Price {
  const price = requireObject(sandbox, "prices", id, "line_items[0][price]");
  if (!price.active) {
    throw invalidParameter(
      "line_items[0][price]",
      `The price specified is inactive. This field only accepts active prices.`,
    );
  }
  if (!requireObject(sandbox, "products", price.product).active) {
    throw invalidParameter(
      "line_items[0][price]",
      `Price \`${id}\` is not available to be purchased because its product is not active.`,
    );
  }
  if (price.type !== "recurring") {
    throw invalidRequest(
      "You must provide at least one recurring price in `subscription` mode when using prices.",
    );
  }
  return price;
}

/**
 * Tax needs the seller's address, and the buyer's: a customer without one must be updated with the one entered
 * (docs.stripe.com/tax/checkout#existing-customers).
 */
function checkTaxAddress(
  sandbox: Sandbox,
  customer: Customer,
  update: { address?: string; shipping?: string } | undefined,
): void {
  if (!sandbox.state.hasTaxAddress) {
    throw invalidRequest(
      "You must have a valid head office address to enable automatic tax calculation in test mode. Visit https://dashboard.stripe.com/test/settings/tax to update it.",
    );
  }
  const isSaved = update?.address === "auto" || update?.shipping === "auto";
  if (isSaved || customer.address != null) return;
  throw new ApiError(400, {
    type: "invalid_request_error",
    code: "customer_tax_location_invalid",
    message:
      "Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to the Customer or set either `customer_update[address]` to 'auto' or `customer_update[shipping]` to 'auto' to save the address entered in Checkout to the Customer.",
  });
}

/** Checkout sessions, each for one subscription. */
export const checkoutSessionEndpoints: Endpoint[] = [
  endpoint("POST", "/v1/checkout/sessions", sessionCreate, ({ sandbox, values }) => {
    const [item] = values.line_items;
    if (!item) throw missingParameter("line_items");
    const { metadata, automatic_tax: tax, consent_collection: consent } = given(values);
    const customer = requireCustomer(sandbox, values.customer, "customer");
    if (tax?.enabled) checkTaxAddress(sandbox, customer, values.customer_update);
    if (consent?.terms_of_service === "required" && !sandbox.state.hasTermsUrl) {
      throw invalidRequest(
        "You cannot collect consent to your terms of service unless a URL is set in the Stripe Dashboard. Update your public business information in the Stripe Dashboard to collect terms of service consent.",
      );
    }
    return addSession(sandbox, {
      price: checkedPrice(sandbox, item.price),
      quantity: item.quantity,
      subscriptionMetadata: changeMetadata({}, values.subscription_data?.metadata),
      customer,
      more: {
        ...pick(values, "allow_promotion_codes cancel_url client_reference_id success_url"),
        metadata,
        ...(tax?.enabled && {
          automatic_tax: {
            enabled: true,
            liability: { type: "self" },
            provider: "stripe",
            status: "requires_location_inputs",
          },
        }),
        ...(consent && {
          consent_collection: {
            ...nulls("payment_method_reuse_agreement promotions"),
            terms_of_service: consent.terms_of_service ?? null,
          },
        }),
      },
    });
  }),
  listOf("/v1/checkout/sessions", "checkoutSessions", { filters }),
  retrieve("/v1/checkout/sessions/:id", "checkoutSessions"),
  change("/v1/checkout/sessions/:id", "checkoutSessions", null, { metadata: metadata() }),
  endpoint("POST", "/v1/checkout/sessions/:id/expire", {}, ({ sandbox, id }) => {
    const session = requireObject(sandbox, "checkoutSessions", id);
    expireSession(sandbox, session);
    return session;
  }),
];
