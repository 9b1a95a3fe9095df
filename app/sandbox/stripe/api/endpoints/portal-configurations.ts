import type Stripe from "stripe";
import { invalidRequest } from "../../engine/api-error";
import { update } from "../../engine/events";
import {
  addConfiguration,
  NO_FEATURES,
  type PortalFeatures,
  requireConfiguration,
} from "../../engine/portal-configurations";
import { type Endpoint, endpoint } from "../endpoint";
import { paginate } from "../pagination";
import {
  boolean,
  changeMetadata,
  emptyable,
  expand,
  hash,
  ignored,
  list,
  metadata,
  oneOf,
  type ParametersOf,
  paging,
  type Read,
  required,
  text,
  unsupported,
  url,
} from "../parameters";

const REASONS = [
  "customer_service",
  "low_quality",
  "missing_features",
  "other",
  "switched_service",
  "too_complex",
  "too_expensive",
  "unused",
] as const;

const features = {
  customer_update: hash({
    allowed_updates: emptyable(
      list(oneOf("address", "email", "name", "phone", "shipping", "tax_id")),
    ),
    enabled: boolean(),
  } satisfies ParametersOf<Stripe.BillingPortal.ConfigurationCreateParams.Features.CustomerUpdate>),
  invoice_history: hash({ enabled: required(boolean()) }),
  payment_method_update: hash({
    enabled: required(boolean()),
    ...unsupported("payment_method_configuration"),
  } satisfies ParametersOf<Stripe.BillingPortal.ConfigurationCreateParams.Features.PaymentMethodUpdate>),
  subscription_cancel: hash({
    cancellation_reason: hash({
      enabled: required(boolean()),
      options: emptyable(list(oneOf(...REASONS))),
      ...unsupported("feedback_options"),
    } satisfies ParametersOf<Stripe.BillingPortal.ConfigurationCreateParams.Features.SubscriptionCancel.CancellationReason>),
    enabled: boolean(),
    mode: oneOf("at_period_end", "immediately"),
    proration_behavior: oneOf("always_invoice", "create_prorations", "none"),
  } satisfies ParametersOf<Stripe.BillingPortal.ConfigurationCreateParams.Features.SubscriptionCancel>),
  subscription_update: hash({
    enabled: oneOf("false"),
    ...ignored(
      "billing_cycle_anchor",
      "default_allowed_updates",
      "products",
      "proration_behavior",
      "schedule_at_period_end",
      "trial_update_behavior",
    ),
  } satisfies ParametersOf<Stripe.BillingPortal.ConfigurationCreateParams.Features.SubscriptionUpdate>),
  subscription_pause: hash({ enabled: oneOf("false"), ...unsupported("duration") }),
} satisfies ParametersOf<Stripe.BillingPortal.ConfigurationCreateParams.Features>;

const businessProfile = hash({
  headline: emptyable(text(60)),
  privacy_policy_url: emptyable(url()),
  terms_of_service_url: emptyable(url()),
} satisfies ParametersOf<Stripe.BillingPortal.ConfigurationCreateParams.BusinessProfile>);

const common = {
  business_profile: businessProfile,
  default_return_url: emptyable(url()),
  expand,
  login_page: hash({ enabled: oneOf("false") }),
  metadata: metadata(),
  name: emptyable(text()),
};

const configurationCreate = {
  ...common,
  features: required(hash(features)),
} satisfies ParametersOf<Stripe.BillingPortal.ConfigurationCreateParams>;

const configurationUpdate = {
  ...common,
  active: boolean(),
  features: hash(features),
} satisfies ParametersOf<Stripe.BillingPortal.ConfigurationUpdateParams>;

const configurationList = {
  ...paging,
  active: boolean(),
  is_default: boolean(),
} satisfies ParametersOf<Stripe.BillingPortal.ConfigurationListParams>;

function changeFeatures(
  current: PortalFeatures,
  change: Read<typeof features> | undefined,
): PortalFeatures {
  const { customer_update, invoice_history, payment_method_update, subscription_cancel } =
    change ?? {};
  const cancel = current.subscription_cancel;
  const reason = subscription_cancel?.cancellation_reason;
  return {
    ...current,
    customer_update: {
      allowed_updates: customer_update?.allowed_updates ?? current.customer_update.allowed_updates,
      enabled: customer_update?.enabled ?? current.customer_update.enabled,
    },
    invoice_history: { enabled: invoice_history?.enabled ?? current.invoice_history.enabled },
    payment_method_update: {
      ...current.payment_method_update,
      enabled: payment_method_update?.enabled ?? current.payment_method_update.enabled,
    },
    subscription_cancel: {
      cancellation_reason: {
        ...cancel.cancellation_reason,
        enabled: reason?.enabled ?? cancel.cancellation_reason.enabled,
        options: reason?.options ?? cancel.cancellation_reason.options,
      },
      enabled: subscription_cancel?.enabled ?? cancel.enabled,
      mode: subscription_cancel?.mode ?? cancel.mode,
      proration_behavior: subscription_cancel?.proration_behavior ?? cancel.proration_behavior,
    },
  };
}

export const portalConfigurationEndpoints: Endpoint[] = [
  endpoint("POST", "/v1/billing_portal/configurations", configurationCreate, (call) => {
    const { business_profile, default_return_url, metadata: meta, name } = call.values;
    return addConfiguration(call.sandbox, {
      business_profile: {
        headline: business_profile?.headline ?? null,
        privacy_policy_url: business_profile?.privacy_policy_url ?? null,
        terms_of_service_url: business_profile?.terms_of_service_url ?? null,
      },
      default_return_url: default_return_url ?? null,
      features: changeFeatures(NO_FEATURES, call.values.features),
      metadata: changeMetadata({}, meta),
      name: name ?? null,
    });
  }),
  endpoint("GET", "/v1/billing_portal/configurations", configurationList, (call) => {
    const { active, is_default } = call.values;
    return paginate(
      call,
      "configuration",
      call.sandbox.state.portalConfigurations.values(),
      (configuration) =>
        (active === undefined || configuration.active === active) &&
        (is_default === undefined || configuration.is_default === is_default),
    );
  }),
  endpoint("POST", "/v1/billing_portal/configurations/:id", configurationUpdate, (call) => {
    const { sandbox, values } = call;
    const configuration = requireConfiguration(sandbox, call.id);
    if (configuration.is_default && values.active === false) {
      throw invalidRequest("You cannot deactivate the default configuration.");
    }
    update(sandbox, "billing_portal.configuration.updated", configuration, () => {
      const profile = values.business_profile;
      configuration.active = values.active ?? configuration.active;
      if (profile?.headline !== undefined) {
        configuration.business_profile.headline = profile.headline;
      }
      if (profile?.privacy_policy_url !== undefined) {
        configuration.business_profile.privacy_policy_url = profile.privacy_policy_url;
      }
      if (profile?.terms_of_service_url !== undefined) {
        configuration.business_profile.terms_of_service_url = profile.terms_of_service_url;
      }
      if (values.default_return_url !== undefined) {
        configuration.default_return_url = values.default_return_url;
      }
      if (values.name !== undefined) configuration.name = values.name;
      configuration.features = changeFeatures(configuration.features, values.features);
      configuration.metadata = changeMetadata(configuration.metadata ?? {}, values.metadata);
      configuration.updated = sandbox.now();
    });
    return configuration;
  }),
];
