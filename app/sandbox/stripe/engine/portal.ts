import type Stripe from "stripe";
import { emit } from "./events";
import type { Sandbox } from "./sandbox";
import {
  type Customer,
  newId,
  nulls,
  type PortalConfiguration,
  type PortalSession,
  type Stored,
  type Wire,
} from "./wire";

/** The actions that a configuration allows in the portal. */
type PortalFeatures = Stored<Stripe.BillingPortal.Configuration.Features>;

/** All portal features turned off. */
const NO_FEATURES: PortalFeatures = {
  customer_update: { allowed_updates: [], enabled: false },
  invoice_history: { enabled: false },
  payment_method_update: { enabled: false, payment_method_configuration: null },
  subscription_cancel: {
    cancellation_reason: { enabled: false, feedback_options: null, options: [] },
    enabled: false,
    mode: "at_period_end",
    proration_behavior: "none",
  },
  subscription_pause: { duration: { interval_options: [], type: "indefinite" }, enabled: false },
  subscription_update: {
    billing_cycle_anchor: null,
    default_allowed_updates: [],
    enabled: false,
    proration_behavior: "none",
    schedule_at_period_end: { conditions: [] },
    trial_update_behavior: "end_trial",
  },
};

/** The default portal: canceling at the period's end, changing the card, and the invoice history. */
export const DEFAULT_FEATURES: PortalFeatures = {
  ...NO_FEATURES,
  invoice_history: { enabled: true },
  payment_method_update: { enabled: true, payment_method_configuration: null },
  subscription_cancel: {
    ...NO_FEATURES.subscription_cancel,
    enabled: true,
    cancellation_reason: {
      enabled: true,
      feedback_options: null,
      options: ["too_expensive", "unused", "other"],
    },
  },
};

/** Creates a portal configuration. `change` adapts the defaults. */
export function addConfiguration(
  sandbox: Sandbox,
  change: (fresh: PortalConfiguration) => PortalConfiguration,
): PortalConfiguration {
  const fresh = {
    ...nulls("application default_return_url name"),
    id: newId("bpc"),
    object: "billing_portal.configuration",
    active: true,
    business_profile: nulls("headline privacy_policy_url terms_of_service_url"),
    created: sandbox.now(),
    features: structuredClone(NO_FEATURES),
    is_default: false,
    livemode: false,
    login_page: { enabled: false, url: null },
    metadata: {},
    updated: sandbox.now(),
  } satisfies Wire<Stripe.BillingPortal.Configuration>;
  const configuration = change(fresh);
  sandbox.state.portalConfigurations.set(configuration.id, configuration);
  emit(sandbox, "billing_portal.configuration.created", configuration);
  return configuration;
}

type PortalSessionDraft = {
  customer: Customer;
  configuration: PortalConfiguration;
  flow: PortalSession["flow"];
  returnUrl: string | null;
};

/** Opens the portal for a customer. Its first page is at `url`. */
export function addPortalSession(sandbox: Sandbox, draft: PortalSessionDraft): PortalSession {
  const { configuration, customer } = draft;
  const session: PortalSession = {
    id: newId("bps"),
    object: "billing_portal.session",
    ...nulls("customer_account locale on_behalf_of"),
    configuration: configuration.id,
    created: sandbox.now(),
    customer: customer.id,
    flow: draft.flow,
    livemode: false,
    return_url: draft.returnUrl ?? configuration.default_return_url,
    // the URL is the only credential, so it has its own key instead of the id
    url: `${sandbox.pagesOrigin}/p/session/${newId("test", 32)}`,
  } satisfies Wire<Stripe.BillingPortal.Session>;
  sandbox.state.portalSessions.set(session.id, session);
  emit(sandbox, "billing_portal.session.created", session);
  return session;
}
