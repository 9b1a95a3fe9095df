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

/** Stripe delivers again for so long by itself (https://docs.stripe.com/webhooks#automatic-retries). */
const DAYS_OF_DELIVERY = 3;

/** An event younger than that, in seconds, may just be on its way. */
const ON_ITS_WAY = 5 * 60;

/** Undelivered events looked at; there is no need to know all. */
const MAX_EVENTS = 1_000;

/** Where Stripe posts its events to, in which version, which ones, and signed with which secret. */
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
    ...(others.length > 0 ? [`all comes several times, also from ${named(others)}`] : []),
  ];
  const found = [best.id, ...problems].join("; ");
  if (problems.length === 0) return { ok: true, what, found };
  // which of several the site believes can only be told from a fingerprint
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
        found: `STRIPE_WEBHOOK_SECRET is not the one of ${endpoint.id}, so its events are refused`,
        advice: "replaceSecret",
      };
    case "unknown":
      return {
        ok: true,
        what,
        found: "cannot be compared: the endpoint was not made by this setup",
      };
  }
}

/**
 * Events of the last days that Stripe could not deliver and that this site has not worked: another
 * endpoint of the account may be the one that failed.
 */
export async function checkDelivery(): Promise<Finding[]> {
  const what = "Delivery of events";
  const now = Math.floor(Date.now() / 1_000);
  const created = { gte: now - DAYS_OF_DELIVERY * 86_400, lte: now - ON_ITS_WAY };
  const undelivered: string[] = [];
  for await (const { id } of undeliveredEvents(created)) {
    undelivered.push(id);
    if (undelivered.length >= MAX_EVENTS) break;
  }
  const worked = await findProcessedEvents(undelivered);
  const missed = undelivered.filter((id) => !worked.has(id));
  if (missed.length === 0) {
    return [{ ok: true, what, found: `nothing was missed in ${DAYS_OF_DELIVERY} days` }];
  }
  const found = `${missed.length} did not arrive: ${named(missed)}`;
  return [{ ok: false, what, found, advice: "workEvents" }];
}

/** The events worked last. */
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
