import { createHash } from "node:crypto";
import type Stripe from "stripe";
import { env } from "~/env.server";
import { log } from "~/server/log.server";
import { getDatabase } from "~db/client";
import { lockProfile, updateProfile } from "~db/queries/profiles";
import { callingFor } from "./call-purpose.server";
import { ensureCustomer } from "./customer.server";
import { openPortal } from "./portal.server";
import { sharedSerialised } from "./serialised.server";
import { requireStripe, stripeClient } from "./stripe-client.server";
import { blockingSubscriptions } from "./subscription-state";
import { listSubscriptions } from "./sync-customer.server";

/** Where an upgrade goes on: at a checkout, or at the portal for somebody who has a subscription. */
export type CheckoutOutcome =
  | { kind: "checkout"; sessionId: string; url: string | null }
  | { kind: "portal"; url: string }
  | { kind: "wrong-price" };

/** The price a page posted is not the one on sale, as on a page kept open over a price change. */
export const WRONG_PRICE = "This price is no longer on sale. Please reload the page.";

/**
 * Starts the upgrade of a user: the customer first; then, under the row's lock, whoever has a
 * subscription that is not over is sent to the portal, an open session is used again, and only then a
 * new one is made. However often it is clicked, there is one customer and one open session, and clicks
 * that wait share one look for it.
 * Throws PaymentsNotConfigured, and whatever Stripe or PostgreSQL throw.
 */
export function startCheckout(
  user: { id: string; email: string },
  postedPriceId: unknown,
): Promise<CheckoutOutcome> {
  const { priceId } = requireStripe();
  // the browser's price is only compared, never used
  if (postedPriceId !== priceId) return Promise.resolve({ kind: "wrong-price" });

  return callingFor("checkout", () =>
    sharedSerialised(`checkout ${user.id}`, () => openCheckout(user, priceId)),
  );
}

async function openCheckout(
  user: { id: string; email: string },
  priceId: string,
): Promise<CheckoutOutcome> {
  const customer = await ensureCustomer(user);
  return getDatabase().db.transaction(async (tx): Promise<CheckoutOutcome> => {
    const profile = await lockProfile(user.id, tx);

    const blocking = blockingSubscriptions(await listSubscriptions(customer));
    if (blocking.length > 0) {
      log().info(
        { userId: user.id, subscriptions: blocking.map(({ id, status }) => ({ id, status })) },
        "has a subscription already: sent to the portal instead of a checkout",
      );
      return { kind: "portal", url: await openPortal(customer, "/#purchase") };
    }

    const open = await findOpenSession(customer, priceId);
    const session = open ?? (await createSession(user, customer, profile.stripeCheckoutSessionId));
    await updateProfile(
      user.id,
      { stripeCheckoutSessionId: session.id, checkoutOpenedAt: new Date() },
      tx,
    );
    log().info(
      { userId: user.id, checkoutSession: session.id },
      open ? "open checkout session used again" : "checkout session created",
    );
    return { kind: "checkout", sessionId: session.id, url: session.url };
  });
}

/** The customer's open session for our price; any other open one is expired, so that two cannot be paid. */
async function findOpenSession(
  customer: string,
  priceId: string,
): Promise<Stripe.Checkout.Session | null> {
  const { data } = await stripeClient().checkout.sessions.list({
    customer,
    status: "open",
    limit: 100,
  });
  const usable = data.find(({ url, metadata }) => url && metadata?.priceId === priceId) ?? null;
  for (const session of data) {
    if (session !== usable) await stripeClient().checkout.sessions.expire(session.id);
  }
  return usable;
}

function createSession(
  user: { id: string; email: string },
  customer: string,
  previousSessionId: string | null,
): Promise<Stripe.Checkout.Session> {
  const { PUBLIC_URL } = env();
  const { priceId } = requireStripe();
  const parameters: Stripe.Checkout.SessionCreateParams = {
    mode: "subscription",
    customer,
    client_reference_id: user.id,
    line_items: [{ price: priceId, quantity: 1 }],
    metadata: { userId: user.id, priceId },
    subscription_data: { metadata: { userId: user.id } },
    // Stripe fills the braces in; encoded they would stay as they are
    success_url: `${PUBLIC_URL}/checkout/success?session_id={CHECKOUT_SESSION_ID}`,
    cancel_url: `${PUBLIC_URL}/checkout/cancelled`,
  };
  return stripeClient().checkout.sessions.create(parameters, {
    idempotencyKey: idempotencyKey(user.id, previousSessionId, parameters),
  });
}

/**
 * The same click, lost and sent again within the hour, is the same session; a changed parameter, a
 * session that has since been used up, or a later hour is another one. Without the hour, a session
 * that expired unseen would be handed out again for as long as Stripe remembers the key.
 */
function idempotencyKey(userId: string, previous: string | null, parameters: object): string {
  const hour = Math.floor(Date.now() / 3_600_000);
  const content = JSON.stringify([previous, hour, parameters]);
  return `checkout-${userId}-${createHash("sha256").update(content).digest("hex").slice(0, 32)}`;
}
