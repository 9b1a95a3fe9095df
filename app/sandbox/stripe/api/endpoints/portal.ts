import type Stripe from "stripe";
import { invalidParameter, invalidRequest, missingParameter } from "../../engine/api-error";
import { requireCustomer } from "../../engine/customers";
import { allOf, requireObject } from "../../engine/objects";
import { addConfiguration, addPortalSession } from "../../engine/portal";
import type { Sandbox } from "../../engine/sandbox";
import { isOver } from "../../engine/subscriptions";
import { type Customer, nulls, type PortalSession } from "../../engine/wire";
import { change, type Endpoint, endpoint, listOf, merge } from "../endpoint";
import {
  boolean,
  emptyable,
  hash,
  list,
  metadata,
  oneOf,
  type ParametersOf,
  type Read,
  required,
  text,
  url,
} from "../parameters";

type Features = Stripe.BillingPortal.ConfigurationCreateParams.Features;
type Cancellation = Stripe.BillingPortal.ConfigurationCreateParams.Features.SubscriptionCancel;
type Reason =
  Stripe.BillingPortal.ConfigurationCreateParams.Features.SubscriptionCancel.CancellationReason;

const features = hash({
  invoice_history: hash({ enabled: required(boolean()) }),
  payment_method_update: hash({ enabled: required(boolean()) }),
  subscription_cancel: hash({
    cancellation_reason: hash({
      enabled: required(boolean()),
      options: required(
        list(
          oneOf(
            ...(["customer_service", "low_quality", "missing_features", "other"] as const),
            ...(["switched_service", "too_complex", "too_expensive", "unused"] as const),
          ),
          8,
        ),
      ),
    } satisfies ParametersOf<Reason>),
    enabled: boolean(),
    mode: oneOf("at_period_end", "immediately"),
  } satisfies ParametersOf<Cancellation>),
} satisfies ParametersOf<Features>);

const configurationUpdate = {
  active: boolean(),
  business_profile: hash({
    headline: emptyable(text(60)),
    privacy_policy_url: emptyable(url()),
    terms_of_service_url: emptyable(url()),
  } satisfies ParametersOf<Stripe.BillingPortal.ConfigurationCreateParams.BusinessProfile>),
  default_return_url: emptyable(url()),
  features,
  metadata: metadata(),
  name: emptyable(text()),
} satisfies ParametersOf<Stripe.BillingPortal.ConfigurationUpdateParams>;

const { active: _, ...ofNewConfiguration } = configurationUpdate;
const configurationCreate = {
  ...ofNewConfiguration,
  features: required(features),
} satisfies ParametersOf<Stripe.BillingPortal.ConfigurationCreateParams>;

// a link to one form of the portal, which redirects afterward
const flowData = hash({
  after_completion: required(
    hash({
      redirect: required(hash({ return_url: required(url()) })),
      type: required(oneOf("redirect")),
    } satisfies ParametersOf<Stripe.BillingPortal.SessionCreateParams.FlowData.AfterCompletion>),
  ),
  subscription_cancel: hash({
    subscription: required(text()),
  } satisfies ParametersOf<Stripe.BillingPortal.SessionCreateParams.FlowData.SubscriptionCancel>),
  type: required(oneOf("payment_method_update", "subscription_cancel")),
} satisfies ParametersOf<Stripe.BillingPortal.SessionCreateParams.FlowData>);

const sessionCreate = {
  configuration: text(),
  customer: required(text()),
  flow_data: flowData,
  return_url: url(),
} satisfies ParametersOf<Stripe.BillingPortal.SessionCreateParams>;

type Flow = NonNullable<Read<typeof sessionCreate>["flow_data"]>;

function flowOf(sandbox: Sandbox, customer: Customer, flow: Flow): PortalSession["flow"] {
  const { after_completion, type, subscription_cancel: cancel } = flow;
  if (type === "subscription_cancel") {
    const param = "flow_data[subscription_cancel][subscription]";
    if (!cancel) throw missingParameter(param);
    const subscription = requireObject(sandbox, "subscriptions", cancel.subscription, param);
    if (subscription.customer !== customer.id || isOver(subscription) || subscription.cancel_at) {
      throw invalidParameter(param, "This subscription cannot be canceled.");
    }
  }
  return {
    ...nulls("customer_update subscription_pause"),
    ...nulls("subscription_update subscription_update_confirm"),
    after_completion: { ...after_completion, hosted_confirmation: null },
    subscription_cancel: cancel ? { ...cancel, retention: null } : null,
    type,
  };
}

/** The customer portal: its configurations and its sessions. */
export const portalEndpoints: Endpoint[] = [
  endpoint("POST", "/v1/billing_portal/configurations", configurationCreate, (call) =>
    addConfiguration(call.sandbox, (fresh) => merge(fresh, call.values)),
  ),
  listOf("/v1/billing_portal/configurations", "portalConfigurations", {
    filters: { active: boolean(), is_default: boolean() },
  }),
  change(
    "/v1/billing_portal/configurations/:id",
    "portalConfigurations",
    "billing_portal.configuration.updated",
    configurationUpdate,
    ({ values }, { is_default }) => {
      if (!is_default || values.active !== false) return;
      throw invalidRequest("You cannot deactivate the default configuration.");
    },
  ),
  endpoint("POST", "/v1/billing_portal/sessions", sessionCreate, ({ sandbox, values }) => {
    const customer = requireCustomer(sandbox, values.customer, "customer");
    const configuration = values.configuration
      ? requireObject(sandbox, "portalConfigurations", values.configuration, "configuration")
      : allOf(sandbox, "portalConfigurations").find(({ is_default }) => is_default);
    if (!configuration) throw invalidRequest("No configuration provided and there is no default.");
    if (!configuration.active) throw invalidRequest("This configuration is not active.");
    return addPortalSession(sandbox, {
      customer,
      configuration,
      flow: values.flow_data ? flowOf(sandbox, customer, values.flow_data) : null,
      returnUrl: values.return_url ?? null,
    });
  }),
];
