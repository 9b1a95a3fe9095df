import type Stripe from "stripe";
import { invalidRequest, missingParameter } from "../../engine/api-error";
import { requireCustomer } from "../../engine/customers";
import { allOf, noSuch, requireObject } from "../../engine/objects";
import { addConfiguration, addPortalSession } from "../../engine/portal";
import type { Sandbox } from "../../engine/sandbox";
import { nulls, type PortalSession } from "../../engine/wire";
import { change, type Endpoint, endpoint, listOf, merge } from "../endpoint";
import {
  boolean,
  emptyable,
  hash,
  metadata,
  oneOf,
  type ParametersOf,
  type Read,
  required,
  text,
  url,
} from "../parameters";

type FlowData = Stripe.BillingPortal.SessionCreateParams.FlowData;
type AfterCompletion = Stripe.BillingPortal.SessionCreateParams.FlowData.AfterCompletion;
type Features = Stripe.BillingPortal.ConfigurationCreateParams.Features;
type Cancellation = Stripe.BillingPortal.ConfigurationCreateParams.Features.SubscriptionCancel;

const features = hash({
  invoice_history: hash({ enabled: required(boolean()) }),
  payment_method_update: hash({ enabled: required(boolean()) }),
  subscription_cancel: hash({
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

const flowData = {
  after_completion: hash({
    hosted_confirmation: hash({ custom_message: text(500) }),
    redirect: hash({ return_url: required(url()) }),
    type: required(oneOf("hosted_confirmation", "portal_homepage", "redirect")),
  } satisfies ParametersOf<AfterCompletion>),
  subscription_cancel: hash({ subscription: required(text()) }),
  type: required(oneOf("payment_method_update", "subscription_cancel")),
} satisfies ParametersOf<FlowData>;

const sessionCreate = {
  configuration: text(),
  customer: required(text()),
  flow_data: hash(flowData),
  locale: text(10),
  return_url: url(),
} satisfies ParametersOf<Stripe.BillingPortal.SessionCreateParams>;

function flowOf(
  sandbox: Sandbox,
  customerId: string,
  given: Read<typeof flowData> | undefined,
): PortalSession["flow"] {
  if (!given) return null;
  const cancelled = given.subscription_cancel?.subscription;
  const param = "flow_data[subscription_cancel][subscription]";
  if (given.type === "subscription_cancel") {
    if (cancelled === undefined) throw missingParameter(param);
    const { customer } = requireObject(sandbox, "subscriptions", cancelled, param);
    if (customer !== customerId) throw noSuch("subscriptions", cancelled, param);
  }
  const { hosted_confirmation, redirect, type } = given.after_completion ?? {
    type: "portal_homepage" as const,
  };
  return {
    ...nulls("customer_update subscription_pause subscription_update subscription_update_confirm"),
    after_completion: {
      hosted_confirmation:
        type === "hosted_confirmation"
          ? { custom_message: hosted_confirmation?.custom_message ?? null }
          : null,
      redirect: type === "redirect" && redirect ? { return_url: redirect.return_url } : null,
      type,
    },
    subscription_cancel: cancelled ? { retention: null, subscription: cancelled } : null,
    type: given.type,
  };
}

/** The customer portal: its configurations and its sessions. */
export const portalEndpoints: Endpoint[] = [
  endpoint("POST", "/v1/billing_portal/configurations", configurationCreate, (call) =>
    addConfiguration(call.sandbox, (fresh) => merge(fresh, call.values)),
  ),
  listOf("/v1/billing_portal/configurations", "portalConfigurations", {
    active: boolean(),
    is_default: boolean(),
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
      flow: flowOf(sandbox, customer.id, values.flow_data),
      locale: values.locale ?? null,
      returnUrl: values.return_url ?? null,
    });
  }),
];
