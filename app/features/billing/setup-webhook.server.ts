import { createHash } from "node:crypto";
import Stripe from "stripe";
import { BOOK_TITLE } from "~/book";
import { env } from "~/env.server";
import { isRemoteHost } from "~/environment/host-names";
import { log } from "~/observability/log.server";
import { SETUP_METADATA } from "./premium-product.server";
import type { SetupStep } from "./setup-step";
import { isInvalidRequest, stripeClient } from "./stripe-client.server";
import { WEBHOOK_EVENTS } from "./webhook.server";

/** How the secret stands that signs the site's webhooks. */
export type WebhookSecretState =
  /** Stripe cannot reach this machine, so there is no endpoint: events are forwarded by hand. */
  | { kind: "local" }
  /** Stripe takes no endpoint at this address, and says why. */
  | { kind: "refused"; message: string }
  /** Told once, for the endpoint made just now. */
  | { kind: "new"; secret: string; replaces: boolean }
  | { kind: "configured" }
  /** The endpoint's secret is none of those in STRIPE_WEBHOOK_SECRET. */
  | { kind: "not configured" }
  /** Made by hand, or before fingerprints were kept. */
  | { kind: "unknown" };

/** Where the endpoint keeps which secret it has: Stripe tells a secret only once, at the creation. */
const FINGERPRINT = "secret_sha256";

/** Where Stripe posts its events for this site. */
export function webhookAddress(): string {
  return `${env().PUBLIC_URL}/webhooks/stripe`;
}

/** Whether Stripe could post to this site's address at all: it takes none on a private network. */
export function isReachableForStripe(): boolean {
  return isRemoteHost(new URL(env().PUBLIC_URL).hostname);
}

/** The command of Stripe's that forwards events to a site Stripe cannot reach (https://docs.stripe.com/cli/listen). */
export function forwardingCommand(): string {
  return `stripe listen --forward-to ${webhookAddress()} --events ${WEBHOOK_EVENTS.join(",")}`;
}

/**
 * Makes or mends the endpoint at which the site hears of payments. One of another API version, which
 * cannot be changed, or one whose secret is lost (`newSecret`), gets a second beside it; the first is
 * disabled by a later run, once the second's secret is known to be configured. In between events
 * come twice, which the ledger takes in its stride (https://docs.stripe.com/webhooks/versioning).
 */
export async function setUpWebhook(
  { newSecret = false }: { newSecret?: boolean },
  steps: SetupStep[],
): Promise<WebhookSecretState> {
  if (!isReachableForStripe()) return { kind: "local" };
  const all = await findWebhookEndpoints();
  const usable = newSecret ? undefined : bestEndpoint(all);
  if (!usable) return createEndpoint(all, steps);

  const isRight = usable.status === "enabled" && hasExactly(usable.enabled_events, WEBHOOK_EVENTS);
  if (!isRight) {
    await stripeClient().webhookEndpoints.update(usable.id, {
      enabled_events: [...WEBHOOK_EVENTS],
      disabled: false,
    });
  }
  steps.push({ what: "webhook endpoint", id: usable.id, outcome: isRight ? "found" : "updated" });

  const secret = secretState(usable);
  // with any other secret the site may hear of payments through one of the others alone
  if (secret !== "configured") return { kind: secret };
  for (const other of all) {
    if (other.id === usable.id || other.status !== "enabled") continue;
    await stripeClient().webhookEndpoints.update(other.id, { disabled: true });
    steps.push({ what: "webhook endpoint that is replaced", id: other.id, outcome: "updated" });
  }
  return { kind: "configured" };
}

async function createEndpoint(
  others: readonly Stripe.WebhookEndpoint[],
  steps: SetupStep[],
): Promise<WebhookSecretState> {
  let created: Stripe.WebhookEndpoint;
  try {
    created = await stripeClient().webhookEndpoints.create({
      url: webhookAddress(),
      enabled_events: [...WEBHOOK_EVENTS],
      api_version: apiVersion() as Stripe.WebhookEndpointCreateParams.ApiVersion,
      description: `${BOOK_TITLE}: memberships`,
      metadata: SETUP_METADATA,
    });
  } catch (error) {
    if (isInvalidRequest(error)) return { kind: "refused", message: error.message };
    throw error;
  }
  steps.push({ what: "webhook endpoint", id: created.id, outcome: "created" });
  const { secret } = created;
  if (!secret) return { kind: "unknown" };
  try {
    await stripeClient().webhookEndpoints.update(created.id, {
      metadata: { [FINGERPRINT]: fingerprint(secret) },
    });
  } catch (error) {
    // the secret is told only now, so it has to be printed all the same
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    log().warn(
      { endpoint: created.id, err: error },
      "'stripe doctor' will not know this endpoint's secret",
    );
  }
  return { kind: "new", secret, replaces: others.some(({ status }) => status === "enabled") };
}

/** The endpoint to keep, of those of the right version: one whose secret is configured, then one that is enabled. */
export function bestEndpoint(
  endpoints: readonly Stripe.WebhookEndpoint[],
): Stripe.WebhookEndpoint | undefined {
  const worth = (endpoint: Stripe.WebhookEndpoint) =>
    (secretState(endpoint) === "configured" ? 2 : 0) + (endpoint.status === "enabled" ? 1 : 0);
  return endpoints
    .filter(({ api_version }) => api_version === apiVersion())
    .sort((a, b) => worth(b) - worth(a) || b.created - a.created)[0];
}

/** Whether an endpoint's secret is one of those configured. */
export function secretState({
  metadata,
}: Stripe.WebhookEndpoint): "configured" | "not configured" | "unknown" {
  const known = metadata[FINGERPRINT];
  if (!known) return "unknown";
  const { webhookSecrets } = env().STRIPE_KNOWN;
  return webhookSecrets.some((secret) => fingerprint(secret) === known)
    ? "configured"
    : "not configured";
}

/** Tells one secret from another and gives neither away: a secret has far more than these 64 bits. */
function fingerprint(secret: string): string {
  return createHash("sha256").update(secret).digest("hex").slice(0, 16);
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

/** Whether an endpoint sends exactly these events, in whatever order. */
export function hasExactly(actual: readonly string[], wanted: readonly string[]): boolean {
  return [...actual].sort().join() === [...wanted].sort().join();
}
