import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import Stripe from "stripe";
import { env } from "~/env.server";
import { log } from "~/observability/log.server";
import { countCheckoutFailure, ensureProfile, updateProfile } from "~db/queries/profiles";
import type { Profile } from "~db/schema";
import { withCallPurpose } from "./call-purpose.server";
import { checkoutOptions, hasOptions } from "./checkout-options.server";
import { coalesce } from "./coalesce.server";
import { afterFailures, type Buyer, ensureCustomer, type KnownCustomer } from "./customer.server";
import { listLiveMemberships } from "./customer-billing.server";
import { openPortal } from "./portal.server";
import { PORTAL_RETURN_PATH } from "./portal-return.server";
import {
  isInvalidRequest,
  isMissingAtStripe,
  requireStripe,
  stripeClient,
} from "./stripe-client.server";

/** Where an upgrade goes on: at a checkout, or at the portal for somebody who has a subscription. */
export type CheckoutOutcome =
  | { kind: "checkout"; sessionId: string; url: string | null }
  | { kind: "portal"; url: string }
  | { kind: "wrong-price" };

/** The price a page posted is not the one on sale, as on a page kept open over a price change. */
export const WRONG_PRICE = "This price is no longer on sale. Please reload the page.";

/** A session with less time left would run out while a card is looked for, in seconds. */
const TIME_TO_PAY = 10 * 60;

/** How often a checkout is begun anew in one click: after a failure of Stripe's, or a step it was too late for. */
const ATTEMPTS = 3;

/** How often, and after how many milliseconds each, a call is asked about that another process has under way. */
const UNDER_WAY = { times: 10, pauseMs: 500 };

/**
 * Starts the upgrade of a user: the customer first; then whoever has a membership that is not over is sent
 * to the portal, an open session is used again, and only then a new one is made. However often it is
 * clicked, there is one customer and one open session: clicks of one user share one answer, and those in
 * several processes the idempotency keys. Neither a connection nor a lock is held while Stripe is asked.
 * Throws PaymentsNotConfigured, and whatever Stripe or PostgreSQL throw.
 */
export function startCheckout(buyer: Buyer, postedPriceId: unknown): Promise<CheckoutOutcome> {
  const { priceId } = requireStripe();
  // the browser's price is only compared, never used
  if (postedPriceId !== priceId) return Promise.resolve({ kind: "wrong-price" });

  return withCallPurpose("checkout", () =>
    coalesce(`checkout ${buyer.id}`, () => openCheckout(buyer)),
  );
}

async function openCheckout(buyer: Buyer): Promise<CheckoutOutcome> {
  let waits = 0;
  for (let attempt = 1; ; attempt++) {
    const profile = await ensureProfile(buyer.id);
    try {
      return await attemptCheckout(buyer, profile);
    } catch (error) {
      if (isUnderWay(error) && waits++ < UNDER_WAY.times) {
        attempt--;
        await pause(UNDER_WAY.pauseMs);
        continue;
      }
      if (attempt === ATTEMPTS) throw error;
      if (isKeptFailure(error)) {
        log().warn({ userId: buyer.id, err: error }, "Stripe failed; the checkout is begun anew");
        await countCheckoutFailure(buyer.id, profile.checkoutFailures);
      } else if (!(error instanceof SessionUsedUp)) {
        throw error;
      }
    }
  }
}

/**
 * Whether Stripe has the same call of another process, or one that timed out here, still under way
 * (https://docs.stripe.com/error-codes#idempotency-key-in-use). Another key would make everything twice.
 */
function isUnderWay(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.statusCode === 409;
}

/** Whether Stripe keeps an error under the call's idempotency key, and would only repeat it. */
function isKeptFailure(error: unknown): boolean {
  const { StripeAPIError, StripeIdempotencyError } = Stripe.errors;
  if (isUnderWay(error)) return false;
  return error instanceof StripeAPIError || error instanceof StripeIdempotencyError;
}

/** An open session was paid or ran out just when it was to be closed. */
class SessionUsedUp extends Error {
  override name = "SessionUsedUp";
}

async function attemptCheckout(buyer: Buyer, profile: Profile): Promise<CheckoutOutcome> {
  const known = profile.stripeCustomerId;
  const [customer, knownSessions] = await Promise.all([
    ensureCustomer(buyer, profile),
    known === null ? [] : listSessions(buyer, known),
  ]);
  // in this order: a session that is paid in between is a membership by the time these are listed
  const sessions =
    customer.isNew || customer.id === known
      ? knownSessions
      : await listSessions(buyer, customer.id);
  const blocking = customer.isNew ? [] : await listLiveMemberships(customer.id);
  if (blocking.length > 0) {
    log().info(
      { userId: buyer.id, subscriptions: blocking.map(({ id, status }) => ({ id, status })) },
      "has a subscription already: sent to the portal instead of a checkout",
    );
    return { kind: "portal", url: await openPortal(customer.id, PORTAL_RETURN_PATH) };
  }

  const open = await findUsableSession(sessions);
  const session = open ?? (await createSession(buyer, profile, customer, sessions));
  const now = new Date();
  await updateProfile(buyer.id, {
    stripeCheckoutSessionId: session.id,
    checkoutOpenedAt: now,
    syncDueAt: now,
  });
  log().info(
    { userId: buyer.id, checkoutSession: session.id },
    open ? "open checkout session used again" : "checkout session created",
  );
  return { kind: "checkout", sessionId: session.id, url: session.url };
}

/** A buyer's latest sessions for a membership, the newest first; the author may sell them other things too. */
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
 * The open session that fits and leaves time to pay; any other open one is expired, so that two cannot be
 * paid. Throws SessionUsedUp for one that is no longer open: it may have been paid.
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
      throw isInvalidRequest(error) ? new SessionUsedUp("Not open any more.") : error;
    }
  }
  return usable;
}

function isUsable(session: Stripe.Checkout.Session): boolean {
  const { url, metadata, expires_at } = session;
  const secondsLeft = expires_at - Date.now() / 1_000;
  const isForSale = metadata?.priceId === requireStripe().priceId && hasOptions(session);
  return url !== null && isForSale && secondsLeft >= TIME_TO_PAY;
}

async function createSession(
  buyer: Buyer,
  profile: Profile,
  customer: KnownCustomer,
  sessions: readonly Stripe.Checkout.Session[],
): Promise<Stripe.Checkout.Session> {
  const { PUBLIC_URL } = env();
  const { priceId } = requireStripe();
  const parameters: Stripe.Checkout.SessionCreateParams = {
    mode: "subscription",
    customer: customer.id,
    client_reference_id: buyer.id,
    line_items: [{ price: priceId, quantity: 1 }],
    metadata: { userId: buyer.id, priceId },
    subscription_data: { metadata: { userId: buyer.id } },
    // Stripe fills the braces in; encoded they would stay as they are
    success_url: `${PUBLIC_URL}/checkout/success?session_id={CHECKOUT_SESSION_ID}`,
    cancel_url: `${PUBLIC_URL}/checkout/cancelled`,
    ...checkoutOptions(),
  };
  return stripeClient().checkout.sessions.create(parameters, {
    idempotencyKey: sessionKey(profile, sessions[0]?.id ?? null, parameters),
  });
}

/**
 * The same click, lost and sent again or made in two processes at once, is the same session. A changed
 * parameter, a later session or a failure that Stripe keeps makes another one.
 */
function sessionKey(profile: Profile, newestSessionId: string | null, parameters: object): string {
  const content = JSON.stringify([newestSessionId, parameters]);
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 32);
  return `checkout-${profile.id}-${hash}${afterFailures(profile)}`;
}
