import Stripe from "stripe";
import { env } from "~/env.server";
import { isLiveKey } from "~/environment/stripe-key";
import { findPortalConfiguration } from "~/features/billing/portal.server";
import { premiumProducts, toStripePrice } from "~/features/billing/premium-product.server";
import { portalProblems } from "~/features/billing/setup-portal.server";
import { describePrice } from "~/features/billing/setup-price.server";
import {
  apiVersion,
  bestEndpoint,
  findWebhookEndpoints,
  hasExactly,
  isHere,
  isReachableForStripe,
  secretState,
  webhookAddress,
} from "~/features/billing/setup-webhook.server";
import {
  isMissingAtStripe,
  requireStripe,
  stripeClient,
} from "~/features/billing/stripe-client.server";
import { paymentPageOrigins } from "~/features/billing/stripe-origins.server";
import { isOurs, liveProblem, siteMark } from "~/features/billing/stripe-site.server";
import { undeliveredEvents } from "~/features/billing/undelivered-events.server";
import { WEBHOOK_EVENTS } from "~/features/billing/webhook.server";
import { databaseErrorCode, UNDEFINED_TABLE } from "~db/database-errors";
import { findKnownProducts, findProcessedEvents } from "~db/queries/billing-examination";
import { findLastWebhookEvents } from "~db/queries/webhook-events";
import { type Answer, ok, problem, warning } from "./answer";
import {
  checkCustomers,
  checkMembers,
  checkSubscriptions,
  type MembersWalk,
} from "./check-members.server";
import { checkPermissions } from "./check-permissions.server";
import { listIds, STRIPE_ADVICE } from "./stripe-advice";

/** How long Stripe retries a delivery, in days (https://docs.stripe.com/webhooks#automatic-retries). */
const DAYS_OF_DELIVERY = 3;

/** An event younger than this, in seconds, may still be in transit. */
const IN_TRANSIT = 5 * 60;

/** Maximum number of undelivered events read. The list need not be complete. */
const MAX_EVENTS = 1_000;

type Ask = (walk: MembersWalk) => Promise<Answer[]>;

const KEY = ["Key", checkKey] as const;
const PRICE = ["Price", checkPrice] as const;
const SITE = ["Site", checkLiveSite] as const;
const PRODUCT = ["Product", checkProducts] as const;
const MEMBERS = ["Members", checkMembers] as const;

/** Checks that take a few calls, however many members there are, and the database, which knows what is the site's. */
const ACCOUNT = [
  ["Webhook endpoint", checkWebhook],
  ["Portal configuration", checkPortal],
] as const;

const EVENTS = [
  ["Delivery of events", checkDelivery],
  ["Last events", checkEvents],
] as const;

/**
 * Checks everything between a payment and access: key and mode, price, webhook endpoint and its deliveries, portal,
 * every subscription and every member. Changes nothing. A check that fails does not stop the others. With `afterId` it
 * checks only later members, to resume an interrupted run.
 */
export async function examineStripe(walk: MembersWalk = {}): Promise<Answer[]> {
  const [endpoint, portal] = ACCOUNT;
  const all = [
    ...[KEY, ["Permissions", checkPermissions] as const, SITE, PRICE, PRODUCT],
    ...[endpoint, ...EVENTS, portal],
    ["Domain of Stripe's pages", checkDomain] as const,
    ["Payment methods", checkPaymentMethods] as const,
    ["Subscriptions", checkSubscriptions] as const,
    ["Customers", checkCustomers] as const,
    MEMBERS,
  ];
  const answers: Answer[] = [];
  for (const check of walk.afterId ? [MEMBERS] : all) answers.push(...(await run(check, walk)));
  return answers;
}

/** Checks key, price, webhook endpoint and received events. `stripe doctor` also checks every member. */
export async function checkPayments(hasDatabase: boolean): Promise<Answer[]> {
  const { STRIPE, SANDBOX } = env();
  if (SANDBOX) return [ok("mode", "the local Stripe, without real money")];
  if (!STRIPE) {
    const advice = "Set STRIPE_SECRET_KEY, and run 'stripe setup': docs/going-live.md.";
    return [warning("settings", "not set: nothing is sold", advice)];
  }
  const answers = await checkAccount(hasDatabase);
  const lastEvent = answers.find(({ what }) => what === "Event");
  return answers
    .filter((answer) => answer.what !== "Event" || answer === lastEvent)
    .map((answer) => ({
      ...answer,
      what: answer.what.charAt(0).toLowerCase() + answer.what.slice(1),
    }));
}

async function checkAccount(hasDatabase: boolean): Promise<Answer[]> {
  const key = await run(KEY);
  if (key.some(({ level }) => level === "problem")) return key;
  const price = await run(PRICE);
  // the price on sale is needed to recognize products sold before
  const isPriceKnown = price.every(({ level }) => level === "ok");
  const others = await Promise.all(
    (hasDatabase ? [SITE, ...ACCOUNT, ...EVENTS, ...(isPriceKnown ? [PRODUCT] : [])] : []).map(
      (check) => run(check),
    ),
  );
  return [...key, ...price, ...others.flat()];
}

async function run([what, ask]: readonly [string, Ask], walk: MembersWalk = {}): Promise<Answer[]> {
  try {
    return await ask(walk);
  } catch (error) {
    // a database of an earlier release has its own check
    if (databaseErrorCode(error) === UNDEFINED_TABLE) return [];
    const { givePermission, tryAgain } = STRIPE_ADVICE;
    const isForbidden = error instanceof Stripe.errors.StripePermissionError;
    const found = `could not be checked: ${(error as Error).message.replace(/\.$/, "")}`;
    return [problem(what, found, isForbidden ? givePermission : tryAgain)];
  }
}

/** Checks that Stripe accepts the key, and names its mode. */
async function checkKey(): Promise<Answer[]> {
  const { secretKey, publishableKey } = requireStripe();
  const mode = isLiveKey(secretKey) ? "live" : "test";
  try {
    await stripeClient().prices.list({ limit: 1 });
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeAuthenticationError)) throw error;
    // Stripe's message quotes the end of the key
    return [problem("Key", "Stripe doesn't accept it", STRIPE_ADVICE.checkKey)];
  }
  return [
    ok("Key", `accepted by Stripe, ${mode} mode`),
    // a key of the other mode fails at startup
    ok("Publishable key", publishableKey ? `${mode} mode too` : "not set"),
  ];
}

/** Checks that a live key is used by the site that has taken payments, and not by a copy of its database. */
async function checkLiveSite(): Promise<Answer[]> {
  const what = "Site";
  const found = isLiveKey(requireStripe().secretKey) ? await liveProblem() : null;
  if (found) return [problem(what, found, STRIPE_ADVICE.moved)];
  return [ok(what, Object.values(await siteMark()).join())];
}

/** Checks that the price on sale exists in this account and mode, is active and is recurring. */
async function checkPrice(): Promise<Answer[]> {
  const { priceId } = requireStripe();
  const what = "Price";
  try {
    const price = await stripeClient().prices.retrieve(priceId, { expand: ["product"] });
    const { product } = price;
    const isArchived = typeof product === "object" && !product.deleted && !product.active;
    const problems = [
      ...(price.active ? [] : ["not active, so no one can buy"]),
      ...(price.recurring ? [] : ["not recurring, so no one can subscribe"]),
      ...(isArchived ? ["its product is archived, so no one can buy"] : []),
    ];
    const found = [`${priceId}, ${describePrice(toStripePrice(price))}`, ...problems];
    return [judge(what, found, isArchived ? STRIPE_ADVICE.unarchive : STRIPE_ADVICE.setUpAndSet)];
  } catch (error) {
    if (!isMissingAtStripe(error)) throw error;
    const found = `${priceId} does not exist in this account and mode: ${(error as Error).message}`;
    return [problem(what, found, STRIPE_ADVICE.checkKey)];
  }
}

/** Returns what was found, followed by the problems with it, if any. */
function judge(what: string, [found = "", ...problems]: string[], advice: string): Answer {
  if (problems.length === 0) return ok(what, found);
  return problem(what, [found, ...problems].join("; "), advice);
}

/** Finds products that were sold before and are no longer recognized. Their payers are not members. */
async function checkProducts(): Promise<Answer[]> {
  const what = "Product";
  const ours = await premiumProducts();
  const unrecognized: string[] = [];
  for (const id of await findKnownProducts()) {
    if (!ours.has(id) && (await exists(id))) unrecognized.push(id);
  }
  if (unrecognized.length === 0) return [ok(what, [...ours].join(", "))];
  return unrecognized.map((id) => {
    const found = `${id} was sold before; those who still pay for it are no longer members`;
    return problem(what, found, STRIPE_ADVICE.markProduct);
  });
}

/** Whether a product exists here. One from another account or mode has no members in this one. */
async function exists(productId: string): Promise<boolean> {
  try {
    await stripeClient().products.retrieve(productId);
    return true;
  } catch (error) {
    if (isMissingAtStripe(error)) return false;
    throw error;
  }
}

/** Checks what members can do in the portal, and where it returns them to. */
async function checkPortal(): Promise<Answer[]> {
  const what = "Portal configuration";
  const configuration = await findPortalConfiguration();
  // The local Stripe's portal needs no configuration.
  if (env().SANDBOX && !configuration) return [ok(what, "the local Stripe's own")];
  if (!configuration) return [problem(what, "none for this site", STRIPE_ADVICE.setUp)];
  return [judge(what, [configuration.id, ...portalProblems(configuration)], STRIPE_ADVICE.setUp)];
}

/** Checks that the settings name the domain of Stripe's pages, as seen on an open checkout. */
async function checkDomain(): Promise<Answer[]> {
  const what = "Domain of Stripe's pages";
  const { data } = await stripeClient().checkout.sessions.list({ status: "open", limit: 100 });
  const mark = await siteMark();
  const ours = data.filter(({ metadata }) => isOurs(metadata, mark, { named: false }));
  const origins = [...new Set(ours.flatMap(({ url }) => (url ? new URL(url).origin : [])))];
  const unnamed = origins.filter((origin) => !paymentPageOrigins().includes(origin));
  if (unnamed.length === 0) {
    return [ok(what, origins.join(", ") || "unknown while no checkout is open")];
  }
  const hosts = unnamed.map((origin) => new URL(origin).host).join(", ");
  const found = `${hosts}, which the settings do not name`;
  return [problem(what, found, STRIPE_ADVICE.nameDomain)];
}

/** Payment methods from which sellers of subscriptions report much fraud, by Stripe's names. */
const DOUBTFUL_METHODS: Record<string, string> = { cashapp: "Cash App Pay" };

/** Checks what the latest checkout offered, since Stripe chooses the methods from the dashboard's settings. */
async function checkPaymentMethods(): Promise<Answer[]> {
  const what = "Payment methods";
  const { data } = await stripeClient().checkout.sessions.list({ limit: 1 });
  const offered = data[0]?.payment_method_types ?? [];
  const doubtful = offered.flatMap((method) => DOUBTFUL_METHODS[method] ?? []);
  if (doubtful.length === 0) return [ok(what, offered.join(", ") || "unknown before a checkout")];
  return [warning(what, doubtful.join(", "), STRIPE_ADVICE.switchMethodOff)];
}

/** Checks the webhook endpoint's address, API version, events and signing secret. */
async function checkWebhook(): Promise<Answer[]> {
  const what = "Webhook endpoint";
  if (env().SANDBOX) return [ok(what, "built into the local Stripe")];
  const all = await findWebhookEndpoints();
  const sending = all.filter(({ status }) => status === "enabled");
  const enabled = sending.filter(isHere);
  if (enabled.length === 0 && !isReachableForStripe()) {
    return [ok(what, "none, since Stripe cannot reach PUBLIC_URL: events come by 'stripe listen'")];
  }
  const best = bestEndpoint(all);
  if (!best) {
    const [other] = enabled;
    const found = other
      ? `${other.id} speaks ${other.api_version ?? "the account's version"}, not ${apiVersion()}`
      : `none at ${webhookAddress()}`;
    return [problem(what, found, STRIPE_ADVICE.replaceEndpoint)];
  }
  const isEnabled = best.status === "enabled";
  const others = enabled.filter(({ id }) => id !== best.id).map(({ id }) => id);
  // Among several endpoints, only a fingerprint identifies the one whose secret the site uses.
  const isUnclear = others.length > 0 && secretState(best) !== "configured";
  const former = sending.filter((endpoint) => !isHere(endpoint)).map(({ url }) => url);
  const found = [
    best.id,
    ...(isEnabled ? [] : ["disabled"]),
    ...(hasExactly(best.enabled_events, WEBHOOK_EVENTS)
      ? []
      : ["doesn't send exactly the events that are handled"]),
    ...(others.length > 0
      ? [`every event is delivered several times, also by ${listIds(others)}`]
      : []),
    ...(former.length > 0 ? [`events still go to ${former.join(", ")} too`] : []),
  ];
  return [
    judge(what, found, isUnclear ? STRIPE_ADVICE.replaceSecret : STRIPE_ADVICE.setUp),
    ...(isEnabled ? [checkSecret(best)] : []),
  ];
}

function checkSecret(endpoint: Stripe.WebhookEndpoint): Answer {
  const what = "Webhook secret";
  const state = secretState(endpoint);
  if (state === "configured") return ok(what, "the endpoint's");
  if (state === "unknown") {
    return ok(what, "cannot be compared: the endpoint was not created by this setup");
  }
  const found = `STRIPE_WEBHOOK_SECRET is not the one of ${endpoint.id}, so its events are rejected`;
  return problem(what, found, STRIPE_ADVICE.replaceSecret);
}

/**
 * Finds recent events that Stripe could not deliver and that this site has not processed. Stripe also lists events
 * that failed only at another endpoint of the account.
 */
async function checkDelivery(): Promise<Answer[]> {
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
  if (missed.length === 0) return [ok(what, `nothing was missed in ${DAYS_OF_DELIVERY} days`)];
  const found = `${missed.length} did not arrive: ${listIds(missed)}`;
  return [problem(what, found, STRIPE_ADVICE.processEvents)];
}

/** Lists the events processed last. */
async function checkEvents(): Promise<Answer[]> {
  const events = await findLastWebhookEvents(5);
  if (events.length === 0) return [ok("Last events", "none in the ledger")];
  return events.map(({ receivedAt, type, id }) =>
    ok("Event", `${receivedAt.toISOString()} ${type} ${id}`),
  );
}
