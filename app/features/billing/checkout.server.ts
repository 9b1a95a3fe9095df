import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import Stripe from "stripe";
import { env } from "~/env.server";
import { log } from "~/observability/log.server";
import { countCheckoutFailure, ensureProfile, updateProfile } from "~db/queries/profiles";
import type { Profile } from "~db/schema";
import { withCallPurpose } from "./call-purpose.server";
import { endCheckoutRefusal } from "./checkout-refusal.server";
import { coalesce } from "./coalesce.server";
import { afterFailures, type Buyer, ensureCustomer, type KnownCustomer } from "./customer.server";
import { listLiveMemberships } from "./customer-billing.server";
import { openPortal } from "./portal.server";
import { PORTAL_RETURN_PATH } from "./portal-return.server";
import {
  isInvalidRequest,
  isMissingAtStripe,
  isRefusal,
  requireStripe,
  stripeClient,
} from "./stripe-client.server";
import { siteMark } from "./stripe-site.server";

/** Where an upgrade continues: a checkout, or the portal for users who already have a subscription. */
export type CheckoutOutcome =
  | { kind: "checkout"; sessionId: string; url: string | null }
  | { kind: "portal"; url: string }
  | { kind: "wrong-price" };

/** The message for a posted price that is not on sale, as from a page left open across a price change. */
export const WRONG_PRICE = "This price is no longer available. Please reload the page.";

/** Minimum remaining lifetime of a reused session, in seconds: enough to enter a card. */
const MIN_SECONDS_LEFT = 10 * 60;

/** Maximum attempts per click, after a Stripe failure or a race with another step. */
const MAX_ATTEMPTS = 3;

/** Retries while another process makes the same call, and their delay. */
const IN_PROGRESS_RETRY = { times: 10, delayMs: 500 };

/**
 * Starts a user's upgrade. Ensures the customer, then sends a user with a live membership to the portal, or reuses or
 * creates a checkout session. Concurrent clicks share one result, and the same idempotency keys across processes, so
 * there is only one customer and one open session. Holds no database connection or lock while calling Stripe. Throws
 * PaymentsNotConfigured, and Stripe's and PostgreSQL's errors.
 */
export function startCheckout(buyer: Buyer, postedPriceId: unknown): Promise<CheckoutOutcome> {
  const { priceId } = requireStripe();
  // The posted price is only compared, never used.
  if (postedPriceId !== priceId) return Promise.resolve({ kind: "wrong-price" });

  return withCallPurpose("checkout", () =>
    coalesce(`checkout ${buyer.id}`, () => openCheckout(buyer)),
  );
}

async function openCheckout(buyer: Buyer): Promise<CheckoutOutcome> {
  let retries = 0;
  for (let attempt = 1; ; attempt++) {
    const profile = await ensureProfile(buyer.id);
    try {
      return await attemptCheckout(buyer, profile);
    } catch (error) {
      if (isInProgress(error) && retries++ < IN_PROGRESS_RETRY.times) {
        attempt--;
        await sleep(IN_PROGRESS_RETRY.delayMs);
        continue;
      }
      const isStored = isStoredFailure(error);
      // the next attempt, now or at the next click, gets another key
      if (isStored) await countCheckoutFailure(buyer.id, profile.checkoutFailures);
      const mayRetry = isStored ? !isRefusal(error) : error instanceof SessionNotOpen;
      if (!mayRetry || attempt === MAX_ATTEMPTS) throw error;
      log().warn({ userId: buyer.id, err: error }, "the checkout is tried again");
    }
  }
}

/**
 * Returns whether Stripe is still processing the same call, from another process or after a timeout here
 * (https://docs.stripe.com/error-codes#idempotency-key-in-use). A different key would duplicate it.
 */
function isInProgress(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.statusCode === 409;
}

/**
 * Returns whether Stripe may have stored the error under the idempotency key and would replay it for a day: that of any
 * call it began to carry out, also if it then refused it (https://docs.stripe.com/api/idempotent_requests).
 */
function isStoredFailure(error: unknown): boolean {
  const { StripeAPIError, StripeIdempotencyError } = Stripe.errors;
  if (isInProgress(error)) return false;
  return (
    error instanceof StripeAPIError ||
    error instanceof StripeIdempotencyError ||
    isInvalidRequest(error)
  );
}

/** Thrown if an open session was paid or expired before it could be closed. */
class SessionNotOpen extends Error {
  override name = "SessionNotOpen";
}

async function attemptCheckout(buyer: Buyer, profile: Profile): Promise<CheckoutOutcome> {
  const known = profile.stripeCustomerId;
  const [customer, knownSessions] = await Promise.all([
    ensureCustomer(buyer, profile),
    known === null ? [] : listSessions(buyer, known),
  ]);
  // List sessions before memberships, so a session paid in between shows up as a membership.
  const sessions =
    customer.isNew || customer.id === known
      ? knownSessions
      : await listSessions(buyer, customer.id);
  const blocking = customer.isNew ? [] : await listLiveMemberships(customer.id);
  if (blocking.length > 0) {
    log().info(
      { userId: buyer.id, subscriptions: blocking.map(({ id, status }) => ({ id, status })) },
      "user already has a subscription: sent to the portal instead of a checkout",
    );
    return { kind: "portal", url: await openPortal(customer.id, "overview", PORTAL_RETURN_PATH) };
  }

  const open = await findUsableSession(sessions);
  const session = open ?? (await createSession(buyer, profile, customer, sessions));
  if (!open) await endCheckoutRefusal();
  const now = new Date();
  await updateProfile(buyer.id, {
    stripeCheckoutSessionId: session.id,
    checkoutOpenedAt: now,
    syncDueAt: now,
  });
  log().info(
    { userId: buyer.id, checkoutSession: session.id },
    open ? "open checkout session reused" : "checkout session created",
  );
  return { kind: "checkout", sessionId: session.id, url: session.url };
}

/** Returns a buyer's latest membership sessions, newest first, without those for the author's other products. */
async function listSessions(buyer: Buyer, customer: string): Promise<Stripe.Checkout.Session[]> {
  try {
    const { data } = await stripeClient().checkout.sessions.list({ customer, limit: 100 });
    return data.filter((session) => session.client_reference_id === buyer.id);
  } catch (error) {
    if (isMissingAtStripe(error, "customer")) return [];
    throw error;
  }
}

/**
 * Returns the matching open session with enough time left to pay. Expires all other open sessions, so two cannot be
 * paid. Throws SessionNotOpen if one is no longer open, as it may have been paid.
 */
async function findUsableSession(
  sessions: readonly Stripe.Checkout.Session[],
): Promise<Stripe.Checkout.Session | null> {
  const open = sessions.filter(({ status }) => status === "open");
  const usable = open.find(isUsable) ?? null;
  for (const session of open) {
    if (session === usable) continue;
    try {
      await stripeClient().checkout.sessions.expire(session.id);
    } catch (error) {
      throw isInvalidRequest(error) ? new SessionNotOpen("No longer open.") : error;
    }
  }
  return usable;
}

function isUsable(session: Stripe.Checkout.Session): boolean {
  const { url, metadata, expires_at } = session;
  const secondsLeft = expires_at - Date.now() / 1_000;
  const isForSale = metadata?.priceId === requireStripe().priceId && hasOptions(session);
  return url !== null && isForSale && secondsLeft >= MIN_SECONDS_LEFT;
}

async function createSession(
  buyer: Buyer,
  profile: Profile,
  customer: KnownCustomer,
  sessions: readonly Stripe.Checkout.Session[],
): Promise<Stripe.Checkout.Session> {
  const { PUBLIC_URL } = env();
  const { priceId } = requireStripe();
  const mark = await siteMark();
  const parameters: Stripe.Checkout.SessionCreateParams = {
    mode: "subscription",
    customer: customer.id,
    client_reference_id: buyer.id,
    line_items: [{ price: priceId, quantity: 1 }],
    metadata: { userId: buyer.id, priceId, ...mark },
    subscription_data: { metadata: { userId: buyer.id, ...mark } },
    // Stripe replaces the placeholder only if its braces are not percent-encoded.
    success_url: `${PUBLIC_URL}/checkout/success?session_id={CHECKOUT_SESSION_ID}`,
    cancel_url: `${PUBLIC_URL}/checkout/cancelled`,
    ...checkoutOptions(),
  };
  return stripeClient().checkout.sessions.create(parameters, {
    idempotencyKey: sessionKey(profile, sessions[0]?.id ?? null, parameters),
  });
}

/**
 * Returns the idempotency key of a new session. Retries and other processes get the same key and so the same session.
 * A changed parameter, a later session or a failure stored at Stripe gives another key.
 */
function sessionKey(profile: Profile, newestSessionId: string | null, parameters: object): string {
  const content = JSON.stringify([newestSessionId, parameters]);
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 32);
  return `checkout-${profile.id}-${hash}${afterFailures(profile)}`;
}

type CheckoutOptions = Pick<
  Stripe.Checkout.SessionCreateParams,
  "allow_promotion_codes" | "automatic_tax" | "consent_collection" | "customer_update"
>;

/**
 * Returns the session parameters for STRIPE_AUTOMATIC_TAX, STRIPE_PROMOTION_CODES and STRIPE_TERMS_CONSENT, for an
 * existing customer. Tax uses the address entered at checkout only if that may be saved on the customer
 * (https://docs.stripe.com/tax/checkout). Consent requires a terms URL in the account's public details
 * (https://docs.stripe.com/api/checkout/sessions/create#create_checkout_session-consent_collection).
 */
export function checkoutOptions(): CheckoutOptions {
  const { tax, promotionCodes, consent } = configuredOptions();
  return {
    ...(promotionCodes ? { allow_promotion_codes: true } : {}),
    ...(tax
      ? {
          automatic_tax: { enabled: true },
          customer_update: { address: "auto", name: "auto" },
        }
      : {}),
    ...(consent ? { consent_collection: { terms_of_service: "required" } } : {}),
  };
}

/** Returns whether a session has the options of the current settings, so it can be reused. */
export function hasOptions(session: Stripe.Checkout.Session): boolean {
  const { tax, promotionCodes, consent } = configuredOptions();
  return (
    session.automatic_tax.enabled === tax &&
    (session.allow_promotion_codes ?? false) === promotionCodes &&
    (session.consent_collection?.terms_of_service === "required") === consent
  );
}

function configuredOptions(): { tax: boolean; promotionCodes: boolean; consent: boolean } {
  const { STRIPE_AUTOMATIC_TAX, STRIPE_PROMOTION_CODES, STRIPE_TERMS_CONSENT } = env();
  return {
    tax: STRIPE_AUTOMATIC_TAX,
    promotionCodes: STRIPE_PROMOTION_CODES,
    consent: STRIPE_TERMS_CONSENT,
  };
}
