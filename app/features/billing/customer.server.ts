import { log } from "~/server/log.server";
import { getDatabase } from "~db/client";
import { lockProfile, updateProfile } from "~db/queries/profiles";
import { isMissingAtStripe, stripeClient } from "./stripe-client.server";

/**
 * The Stripe customer of a user, made if there is none: one a user, created under the row's lock with
 * an idempotency key derived from the user, and stored before anything is sold. One that was deleted
 * at Stripe is made anew under a key of its own.
 */
export function ensureCustomer(user: { id: string; email: string }): Promise<string> {
  return getDatabase().db.transaction(async (tx) => {
    const profile = await lockProfile(user.id, tx);
    const known = profile.stripeCustomerId;
    if (known && (await existsAtStripe(known))) return known;

    const customer = await stripeClient().customers.create(
      { email: user.email, metadata: { userId: user.id } },
      { idempotencyKey: known ? `customer-${user.id}-after-${known}` : `customer-${user.id}` },
    );
    await updateProfile(
      user.id,
      { stripeCustomerId: customer.id, stripeCheckoutSessionId: null },
      tx,
    );
    log().info(
      { userId: user.id, stripeCustomerId: customer.id, replaces: known },
      "Stripe customer created",
    );
    return customer.id;
  });
}

async function existsAtStripe(stripeCustomerId: string): Promise<boolean> {
  try {
    const customer = await stripeClient().customers.retrieve(stripeCustomerId);
    return !customer.deleted;
  } catch (error) {
    if (isMissingAtStripe(error)) return false;
    throw error;
  }
}
