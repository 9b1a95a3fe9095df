import type Stripe from "stripe";
import { invalidRequest, resourceMissing } from "../../engine/api-error";
import { requireCustomer } from "../../engine/customers";
import { requireConfiguration } from "../../engine/portal-configurations";
import { addPortalSession } from "../../engine/portal-sessions";
import type { Sandbox } from "../../engine/sandbox";
import { requireSubscription } from "../../engine/subscriptions";
import type { PortalSession } from "../../engine/wire";
import { type Endpoint, endpoint } from "../endpoint";
import { missingParameter } from "../errors";
import {
  expand,
  hash,
  ignored,
  oneOf,
  type ParametersOf,
  type Read,
  required,
  text,
  unsupported,
  url,
} from "../parameters";

type FlowData = Stripe.BillingPortal.SessionCreateParams.FlowData;

const flowData = {
  after_completion: hash({
    hosted_confirmation: hash({ custom_message: text(500) }),
    redirect: hash({ return_url: required(url()) }),
    type: required(oneOf("hosted_confirmation", "portal_homepage", "redirect")),
  } satisfies ParametersOf<Stripe.BillingPortal.SessionCreateParams.FlowData.AfterCompletion>),
  subscription_cancel: hash({ subscription: required(text()), ...unsupported("retention") }),
  type: required(oneOf("payment_method_update", "subscription_cancel")),
  ...unsupported("subscription_pause", "subscription_update", "subscription_update_confirm"),
} satisfies ParametersOf<FlowData>;

const sessionCreate = {
  configuration: text(),
  customer: text(),
  expand,
  flow_data: hash(flowData),
  locale: text(10),
  return_url: url(),
  ...ignored("after_expiration"),
  ...unsupported("customer_account", "on_behalf_of"),
} satisfies ParametersOf<Stripe.BillingPortal.SessionCreateParams>;

function flowOf(
  sandbox: Sandbox,
  customerId: string,
  given: Read<typeof flowData> | undefined,
): PortalSession["flow"] {
  if (!given) return null;
  const cancelled = given.subscription_cancel?.subscription;
  if (given.type === "subscription_cancel") {
    if (cancelled === undefined) {
      throw missingParameter("flow_data[subscription_cancel][subscription]");
    }
    const param = "flow_data[subscription_cancel][subscription]";
    const subscription = requireSubscription(sandbox, cancelled, param);
    if (subscription.customer !== customerId)
      throw resourceMissing("subscription", cancelled, param);
  }
  const { hosted_confirmation, redirect, type } = given.after_completion ?? {
    type: "portal_homepage" as const,
  };
  return {
    after_completion: {
      hosted_confirmation:
        type === "hosted_confirmation"
          ? { custom_message: hosted_confirmation?.custom_message ?? null }
          : null,
      redirect: type === "redirect" && redirect ? { return_url: redirect.return_url } : null,
      type,
    },
    customer_update: null,
    subscription_cancel:
      cancelled === undefined ? null : { retention: null, subscription: cancelled },
    subscription_pause: null,
    subscription_update: null,
    subscription_update_confirm: null,
    type: given.type,
  };
}

export const portalSessionEndpoints: Endpoint[] = [
  endpoint("POST", "/v1/billing_portal/sessions", sessionCreate, ({ sandbox, values }) => {
    if (values.customer === undefined) throw missingParameter("customer");
    const customer = requireCustomer(sandbox, values.customer, "customer");
    const configuration =
      values.configuration === undefined
        ? [...sandbox.state.portalConfigurations.values()].find(({ is_default }) => is_default)
        : requireConfiguration(sandbox, values.configuration, "configuration");
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
