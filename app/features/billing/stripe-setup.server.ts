import type Stripe from "stripe";
import { env } from "~/env.server";
import { OperatorError } from "~db/operator-error";
import { findPortalConfiguration } from "./portal.server";
import { SETUP_METADATA } from "./premium-product.server";
import { stripeClient } from "./stripe-client.server";
import { WEBHOOK_EVENTS } from "./webhook.server";

/** Finds our price again, whatever its id is in an account. */
const PRICE_LOOKUP_KEY = "golden_path_premium_monthly";

/** $9.99 a month (specification, 9), in Stripe's terms. */
const PRICE = { unit_amount: 999, currency: "usd", interval: "month" } as const;

export type SetupStep = { what: string; id: string; outcome: "created" | "found" | "updated" };

export type SetupResult = {
  steps: SetupStep[];
  priceId: string;
  /** Stripe tells it only for an endpoint made just now; null otherwise. */
  webhookSecret: string | null;
};

/** Where Stripe posts its events for this site. */
export function webhookAddress(): string {
  return `${env().PUBLIC_URL}/webhooks/stripe`;
}

/**
 * Makes, or finds, all that selling needs at Stripe: product and $9.99 monthly price, the webhook
 * endpoint at this SDK's API version with exactly the events that are handled, and the portal's
 * configuration. Running it again changes nothing that is right already.
 */
export async function setUpStripe(): Promise<SetupResult> {
  const steps: SetupStep[] = [];
  const priceId = await setUpPrice(steps);
  const webhookSecret = await setUpWebhook(steps);
  await setUpPortal(steps);
  return { steps, priceId, webhookSecret };
}

async function setUpPrice(steps: SetupStep[]): Promise<string> {
  const { data } = await stripeClient().prices.list({
    lookup_keys: [PRICE_LOOKUP_KEY],
    active: true,
    limit: 1,
  });
  const found = data[0];
  if (found && isOurPrice(found)) {
    steps.push({ what: "price", id: found.id, outcome: "found" });
    return found.id;
  }
  const product = await stripeClient().products.create(
    {
      name: "The Golden Path Premium",
      description: "Membership of The Golden Path, monthly, cancel anytime.",
      metadata: SETUP_METADATA,
    },
    { idempotencyKey: `setup-product-${PRICE_LOOKUP_KEY}` },
  );
  steps.push({ what: "product", id: product.id, outcome: "created" });
  const price = await stripeClient().prices.create({
    product: product.id,
    unit_amount: PRICE.unit_amount,
    currency: PRICE.currency,
    recurring: { interval: PRICE.interval },
    lookup_key: PRICE_LOOKUP_KEY,
    // a price cannot be changed, so one that is wrong hands its key over to the right one
    transfer_lookup_key: true,
    metadata: SETUP_METADATA,
  });
  steps.push({ what: "price", id: price.id, outcome: "created" });
  return price.id;
}

/** Whether a price is what the specification sells. */
export function isOurPrice(price: Stripe.Price): boolean {
  return (
    price.active &&
    price.unit_amount === PRICE.unit_amount &&
    price.currency === PRICE.currency &&
    price.recurring?.interval === PRICE.interval &&
    price.recurring.interval_count === 1
  );
}

async function setUpWebhook(steps: SetupStep[]): Promise<string | null> {
  const stripe = stripeClient();
  const ours = await findWebhookEndpoints();
  const usable = ours.find(({ api_version }) => api_version === apiVersion());
  for (const stale of ours) {
    if (stale === usable || stale.status === "disabled") continue;
    // an endpoint's version cannot be changed; two enabled ones would deliver everything twice
    await stripe.webhookEndpoints.update(stale.id, { disabled: true });
    steps.push({
      what: "webhook endpoint of another API version, disabled",
      id: stale.id,
      outcome: "updated",
    });
  }
  if (usable) {
    const isRight =
      usable.status === "enabled" && hasExactly(usable.enabled_events, WEBHOOK_EVENTS);
    if (!isRight) {
      await stripe.webhookEndpoints.update(usable.id, {
        enabled_events: [...WEBHOOK_EVENTS],
        disabled: false,
      });
    }
    steps.push({ what: "webhook endpoint", id: usable.id, outcome: isRight ? "found" : "updated" });
    return null;
  }
  const created = await stripe.webhookEndpoints.create({
    url: webhookAddress(),
    enabled_events: [...WEBHOOK_EVENTS],
    api_version: apiVersion() as Stripe.WebhookEndpointCreateParams.ApiVersion,
    description: "The Golden Path: memberships",
    metadata: SETUP_METADATA,
  });
  steps.push({ what: "webhook endpoint", id: created.id, outcome: "created" });
  if (!created.secret) {
    throw new OperatorError(
      `Stripe did not tell the signing secret of webhook endpoint ${created.id}: read it in Stripe's dashboard and set STRIPE_WEBHOOK_SECRET to it.`,
    );
  }
  return created.secret;
}

/** This site's endpoints at Stripe, of whatever version and state. */
export async function findWebhookEndpoints(): Promise<Stripe.WebhookEndpoint[]> {
  const found: Stripe.WebhookEndpoint[] = [];
  for await (const endpoint of stripeClient().webhookEndpoints.list({ limit: 100 })) {
    if (endpoint.url === webhookAddress()) found.push(endpoint);
  }
  return found;
}

/** The API version this SDK speaks and reads events of. */
export function apiVersion(): string {
  return String(stripeClient().getApiField("version"));
}

/** Whether two lists of event types are the same, whatever their order. */
export function hasExactly(actual: readonly string[], wanted: readonly string[]): boolean {
  return [...actual].sort().join() === [...wanted].sort().join();
}

async function setUpPortal(steps: SetupStep[]): Promise<void> {
  const wanted = {
    business_profile: { headline: "The Golden Path: your membership" },
    features: {
      invoice_history: { enabled: true },
      payment_method_update: { enabled: true },
      subscription_cancel: { enabled: true, mode: "at_period_end" as const },
    },
  };
  const found = await findPortalConfiguration();
  if (!found) {
    const created = await stripeClient().billingPortal.configurations.create({
      ...wanted,
      metadata: SETUP_METADATA,
    });
    steps.push({ what: "portal configuration", id: created.id, outcome: "created" });
    return;
  }
  const isRight = isPortalRight(found);
  if (!isRight) await stripeClient().billingPortal.configurations.update(found.id, wanted);
  steps.push({
    what: "portal configuration",
    id: found.id,
    outcome: isRight ? "found" : "updated",
  });
}

/** Whether members can cancel at the period's end and mend their card in the portal. */
export function isPortalRight({ features }: Stripe.BillingPortal.Configuration): boolean {
  return (
    features.subscription_cancel.enabled &&
    features.subscription_cancel.mode === "at_period_end" &&
    features.payment_method_update.enabled &&
    features.invoice_history.enabled
  );
}
