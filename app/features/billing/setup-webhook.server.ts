import { createHash } from "node:crypto";
import Stripe from "stripe";
import { env } from "~/env.server";
import { isRemoteHost } from "~/environment/host-names";
import { currentSite } from "~/features/site/current-site.server";
import { log } from "~/observability/log.server";
import { SETUP_METADATA } from "./premium-product.server";
import type { SetupStep } from "./setup-step";
import { isInvalidRequest, stripeClient } from "./stripe-client.server";
import { isMarked, isOurs, siteMark } from "./stripe-site.server";
import { WEBHOOK_EVENTS } from "./webhook.server";

/** The state of the secret that signs the site's webhooks. */
export type WebhookSecretState =
  /** Stripe cannot reach this machine, so there is no endpoint; the Stripe CLI forwards events. */
  | { kind: "local" }
  /** Stripe rejects an endpoint at this URL; `message` is its reason. */
  | { kind: "rejected"; message: string }
  /** The secret of the new endpoint, shown only once. */
  | { kind: "new"; secret: string; replaces: boolean }
  | { kind: "configured" }
  /** The endpoint's secret is not in STRIPE_WEBHOOK_SECRET. */
  | { kind: "not configured" }
  /** The endpoint was created manually, or before fingerprints were stored. */
  | { kind: "unknown" };

/** Metadata key of the secret's fingerprint: Stripe returns a secret only once, on creation. */
const FINGERPRINT = "secret_sha256";

/** Returns the URL to which Stripe posts this site's events. */
export function webhookAddress(): string {
  return `${env().PUBLIC_URL}/webhooks/stripe`;
}

/** Returns whether Stripe can reach this site's URL; it rejects private networks. */
export function isReachableForStripe(): boolean {
  return isRemoteHost(new URL(env().PUBLIC_URL).hostname);
}

/** Returns the Stripe CLI command that forwards events to this site (https://docs.stripe.com/cli/listen). */
export function forwardingCommand(): string {
  return `stripe listen --forward-to ${webhookAddress()} --events ${WEBHOOK_EVENTS.join(",")}`;
}

/**
 * Creates or corrects the site's webhook endpoint. If its API version differs, which cannot be changed, or its secret
 * is lost (`newSecret`), creates a second one. A later run disables the first once the second's secret is configured.
 * Until then events arrive twice, and the ledger discards duplicates (https://docs.stripe.com/webhooks/versioning).
 * Then also disables this site's endpoints at a former address.
 */
export async function setUpWebhook(
  { newSecret = false }: { newSecret?: boolean },
  steps: SetupStep[],
): Promise<WebhookSecretState> {
  if (!isReachableForStripe()) return { kind: "local" };
  const all = await findWebhookEndpoints();
  const usable = newSecret ? undefined : bestEndpoint(all);
  if (!usable) return createEndpoint(all, steps);

  const isRight =
    usable.status === "enabled" &&
    hasExactly(usable.enabled_events, WEBHOOK_EVENTS) &&
    isMarked(usable.metadata);
  if (!isRight) {
    await stripeClient().webhookEndpoints.update(usable.id, {
      enabled_events: [...WEBHOOK_EVENTS],
      disabled: false,
      metadata: await siteMark(),
    });
  }
  steps.push({ what: "webhook endpoint", id: usable.id, outcome: isRight ? "found" : "updated" });

  const secret = secretState(usable);
  // Unless this secret is configured, another endpoint may be the only one with accepted events.
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
      description: `${currentSite().title}: memberships`,
      metadata: { ...SETUP_METADATA, ...(await siteMark()) },
    });
  } catch (error) {
    if (isInvalidRequest(error)) return { kind: "rejected", message: error.message };
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
    // Stripe returns the secret only now, so it must be printed anyway
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    log().warn(
      { endpoint: created.id, err: error },
      "'stripe doctor' will not know this endpoint's secret",
    );
  }
  return { kind: "new", secret, replaces: others.some(({ status }) => status === "enabled") };
}

/** Returns the endpoint of the right address and version to keep: by configured secret, then enabled, then newest. */
export function bestEndpoint(
  endpoints: readonly Stripe.WebhookEndpoint[],
): Stripe.WebhookEndpoint | undefined {
  const score = (endpoint: Stripe.WebhookEndpoint) =>
    (secretState(endpoint) === "configured" ? 2 : 0) + (endpoint.status === "enabled" ? 1 : 0);
  return endpoints
    .filter((endpoint) => isHere(endpoint) && endpoint.api_version === apiVersion())
    .sort((a, b) => score(b) - score(a) || b.created - a.created)[0];
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

/** Returns 64 bits that distinguish secrets without revealing them; a secret has far more entropy. */
function fingerprint(secret: string): string {
  return createHash("sha256").update(secret).digest("hex").slice(0, 16);
}

/** Returns this site's endpoints at Stripe, of any version and status: those at its address, and at former ones. */
export async function findWebhookEndpoints(): Promise<Stripe.WebhookEndpoint[]> {
  const found: Stripe.WebhookEndpoint[] = [];
  const mark = await siteMark();
  for await (const endpoint of stripeClient().webhookEndpoints.list({ limit: 100 })) {
    const isOwn = isHere(endpoint) || isOurs(endpoint.metadata, mark, { named: false });
    if (isOwn) found.push(endpoint);
  }
  return found;
}

/** Returns whether an endpoint is at the site's address, and not at a former one. */
export function isHere({ url }: Stripe.WebhookEndpoint): boolean {
  return url === webhookAddress();
}

/** Returns the API version of this SDK's calls and events. */
export function apiVersion(): string {
  return String(stripeClient().getApiField("version"));
}

/** Returns whether an endpoint sends exactly these events, in any order. */
export function hasExactly(actual: readonly string[], wanted: readonly string[]): boolean {
  return [...actual].sort().join() === [...wanted].sort().join();
}
