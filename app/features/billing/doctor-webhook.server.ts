import type Stripe from "stripe";
import { env } from "~/env.server";
import { findProcessedEvents } from "~db/queries/billing-examination";
import { findLastWebhookEvents } from "~db/queries/webhook-events";
import { type Finding, named } from "./doctor-finding";
import {
  apiVersion,
  bestEndpoint,
  findWebhookEndpoints,
  hasExactly,
  isReachableForStripe,
  secretState,
  webhookAddress,
} from "./setup-webhook.server";
import { undeliveredEvents } from "./undelivered-events.server";
import { WEBHOOK_EVENTS } from "./webhook.server";

/** How long Stripe itself retries a delivery (https://docs.stripe.com/webhooks#automatic-retries). */
const DAYS_OF_DELIVERY = 3;

/** An event younger than this, in seconds, may still be on its way. */
const IN_TRANSIT = 5 * 60;

/** Maximum number of undelivered events read; a complete list is not needed. */
const MAX_EVENTS = 1_000;

/** Checks the webhook endpoint's address, API version, events and signing secret. */
export async function checkWebhook(): Promise<Finding[]> {
  const what = "Webhook endpoint";
  if (env().SANDBOX) return [{ ok: true, what, found: "built into the sandbox" }];
  const all = await findWebhookEndpoints();
  const enabled = all.filter(({ status }) => status === "enabled");
  if (enabled.length === 0 && !isReachableForStripe()) {
    const found = "none, since Stripe cannot reach PUBLIC_URL: events come by 'stripe listen'";
    return [{ ok: true, what, found }];
  }
  const best = bestEndpoint(all);
  const [shown = best] = enabled;
  if (!best) {
    const found = shown
      ? `${shown.id} speaks ${shown.api_version ?? "the account's version"}, not ${apiVersion()}`
      : `none at ${webhookAddress()}`;
    return [{ ok: false, what, found, advice: "replaceEndpoint" }];
  }
  return [
    endpointFinding(best, enabled),
    ...(best.status === "enabled" ? [secretFinding(best)] : []),
  ];
}

function endpointFinding(
  best: Stripe.WebhookEndpoint,
  enabled: readonly Stripe.WebhookEndpoint[],
): Finding {
  const what = "Webhook endpoint";
  const others = enabled.filter(({ id }) => id !== best.id).map(({ id }) => id);
  const problems = [
    ...(best.status === "enabled" ? [] : ["disabled"]),
    ...(hasExactly(best.enabled_events, WEBHOOK_EVENTS)
      ? []
      : ["sends other events than are handled"]),
    ...(others.length > 0
      ? [`every event is delivered several times, also by ${named(others)}`]
      : []),
  ];
  const found = [best.id, ...problems].join("; ");
  if (problems.length === 0) return { ok: true, what, found };
  // Of several endpoints, the one whose secret the site uses can be identified only by a fingerprint.
  const isUnclear = others.length > 0 && secretState(best) !== "configured";
  return { ok: false, what, found, advice: isUnclear ? "replaceSecret" : "setUp" };
}

function secretFinding(endpoint: Stripe.WebhookEndpoint): Finding {
  const what = "Webhook secret";
  switch (secretState(endpoint)) {
    case "configured":
      return { ok: true, what, found: "the endpoint's" };
    case "not configured":
      return {
        ok: false,
        what,
        found: `STRIPE_WEBHOOK_SECRET is not the one of ${endpoint.id}, so its events are rejected`,
        advice: "replaceSecret",
      };
    case "unknown":
      return {
        ok: true,
        what,
        found: "cannot be compared: the endpoint was not created by this setup",
      };
  }
}

/**
 * Finds recent events that Stripe could not deliver and that this site has not processed; Stripe also lists
 * events that failed only at another endpoint of the account.
 */
export async function checkDelivery(): Promise<Finding[]> {
  const what = "Delivery of events";
  const now = Math.floor(Date.now() / 1_000);
  const created = { gte: now - DAYS_OF_DELIVERY * 86_400, lte: now - IN_TRANSIT };
  const undelivered: string[] = [];
  for await (const { id } of undeliveredEvents(created)) {
    undelivered.push(id);
    if (undelivered.length >= MAX_EVENTS) break;
  }
  const processed = await findProcessedEvents(undelivered);
  const missed = undelivered.filter((id) => !processed.has(id));
  if (missed.length === 0) {
    return [{ ok: true, what, found: `nothing was missed in ${DAYS_OF_DELIVERY} days` }];
  }
  const found = `${missed.length} did not arrive: ${named(missed)}`;
  return [{ ok: false, what, found, advice: "processEvents" }];
}

/** The events processed last. */
export async function checkEvents(): Promise<Finding[]> {
  const events = await findLastWebhookEvents(5);
  if (events.length === 0) {
    return [{ ok: true, what: "Last events", found: "none in the ledger" }];
  }
  return events.map(({ receivedAt, type, id }) => ({
    ok: true,
    what: "Event",
    found: `${receivedAt.toISOString()} ${type} ${id}`,
  }));
}
