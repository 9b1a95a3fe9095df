import { env } from "~/env.server";
import { findLastWebhookEvents } from "~db/queries/webhook-events";
import type { Profile } from "~db/schema";
import { forEachBilledProfile } from "./billed-profiles.server";
import { askBilling } from "./customer-billing.server";
import { findPortalConfiguration } from "./portal.server";
import { requireStripe, stripeClient } from "./stripe-client.server";
import {
  apiVersion,
  findWebhookEndpoints,
  hasExactly,
  isOurPrice,
  isPortalRight,
  webhookAddress,
} from "./stripe-setup.server";
import { liveMemberships } from "./subscription-state";
import { WEBHOOK_EVENTS } from "./webhook.server";

/** One thing that was looked at: whether it is well, what was found, and what to do if it is not. */
export type Finding = { ok: boolean; what: string; found: string; advice?: string };

/**
 * Looks at everything between a payment and access: key and mode, price, webhook endpoint and its
 * version, portal, the events seen last, and every member whose row and Stripe differ. Changes nothing.
 */
export async function examineStripe(): Promise<Finding[]> {
  const checks = [checkKey, checkPrice, checkWebhook, checkPortal, checkEvents, checkMembers];
  const findings: Finding[] = [];
  for (const check of checks) {
    try {
      findings.push(...(await check()));
    } catch (error) {
      findings.push({
        ok: false,
        what: check.name.replace(/^check/, ""),
        found: `could not be looked at: ${(error as Error).message}`,
      });
    }
  }
  return findings;
}

async function checkKey(): Promise<Finding[]> {
  const { secretKey, publishableKey } = requireStripe();
  const mode = /_live_/.test(secretKey) ? "live" : "test";
  await stripeClient().prices.list({ limit: 1 });
  return [
    { ok: true, what: "Key", found: `accepted by Stripe, ${mode} mode` },
    // of another mode it would have stopped the start
    {
      ok: true,
      what: "Publishable key",
      found: publishableKey ? `${mode} mode too` : "not set",
    },
  ];
}

async function checkPrice(): Promise<Finding[]> {
  const price = await stripeClient().prices.retrieve(requireStripe().priceId);
  const ok = isOurPrice(price);
  return [
    {
      ok,
      what: "Price",
      found: `${price.id}, ${(price.unit_amount ?? 0) / 100} ${price.currency} a ${price.recurring?.interval ?? "time"}${price.active ? "" : ", not active"}`,
      advice: ok ? undefined : "Wanted 9.99 usd a month, active: run 'stripe setup'.",
    },
  ];
}

async function checkWebhook(): Promise<Finding[]> {
  const what = "Webhook endpoint";
  if (env().SANDBOX) return [{ ok: true, what, found: "built into the sandbox" }];
  const endpoints = (await findWebhookEndpoints()).filter(({ status }) => status === "enabled");
  const [endpoint] = endpoints;
  if (!endpoint) {
    return [
      {
        ok: false,
        what,
        found: `none enabled at ${webhookAddress()}`,
        advice: "Check PUBLIC_URL, then run 'stripe setup'.",
      },
    ];
  }
  const problems = [
    endpoints.length > 1 && `${endpoints.length} are enabled, so all comes several times`,
    endpoint.api_version !== apiVersion() && `speaks ${endpoint.api_version}, not ${apiVersion()}`,
    !hasExactly(endpoint.enabled_events, WEBHOOK_EVENTS) && "sends other events than are handled",
  ].filter((problem) => problem !== false);
  return [
    {
      ok: problems.length === 0,
      what,
      found: [endpoint.id, ...problems].join("; "),
      advice: problems.length > 0 ? "Run 'stripe setup'." : undefined,
    },
  ];
}

async function checkPortal(): Promise<Finding[]> {
  const configuration = await findPortalConfiguration();
  const ok = configuration !== null && isPortalRight(configuration);
  return [
    {
      // the sandbox's portal needs no configuration
      ok: ok || env().SANDBOX !== null,
      what: "Portal configuration",
      found: configuration
        ? `${configuration.id}${ok ? "" : ", lacks cancelling or mending the card"}`
        : "none of this site",
      advice: ok || env().SANDBOX ? undefined : "Run 'stripe setup'.",
    },
  ];
}

async function checkEvents(): Promise<Finding[]> {
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

async function checkMembers(): Promise<Finding[]> {
  const findings: Finding[] = [];
  const looked = await forEachBilledProfile(async (profile) => {
    findings.push(...(await compare(profile, profile.stripeCustomerId)));
  });
  return findings.length > 0
    ? findings
    : [{ ok: true, what: "Members", found: `${looked} rows agree with Stripe` }];
}

async function compare(profile: Profile, stripeCustomerId: string): Promise<Finding[]> {
  const { state, memberships } = await askBilling(stripeCustomerId);
  const findings: Finding[] = [];
  const differing = (Object.keys(state) as (keyof typeof state)[]).filter(
    (field) => String(state[field]) !== String(profile[field]),
  );
  if (differing.length > 0) {
    findings.push({
      ok: false,
      what: `Member ${profile.id}`,
      found: `differs from Stripe in ${differing.join(", ")}`,
      advice: "Run 'stripe sync --all', and look why the webhook did not do it.",
    });
  }
  const live = liveMemberships(memberships);
  if (live.length > 1) {
    findings.push({
      ok: false,
      what: `Member ${profile.id}`,
      found: `has ${live.length} live subscriptions: ${live.map(({ subscription }) => subscription.id).join(", ")}`,
      advice: "Refund and cancel the surplus one in Stripe's dashboard.",
    });
  }
  return findings;
}
