import type Stripe from "stripe";
import { log } from "~/server/log.server";
import { countSync } from "~/server/metrics.server";
import { type Executor, getDatabase } from "~db/client";
import { lockProfileByCustomer, updateProfile } from "~db/queries/profiles";
import { sharedSerialised } from "./serialised.server";
import { isMissingAtStripe, requireStripe, stripeClient } from "./stripe-client.server";
import { type BillingState, billingStateOf, blockingSubscriptions } from "./subscription-state";

/** The state a sync wrote, or why there was nothing to write. */
export type SyncOutcome =
  | { kind: "synced"; userId: string; state: BillingState }
  | { kind: "unknown-customer" };

/**
 * Makes the profile row of a Stripe customer equal to what Stripe says: the only writer of billing
 * state. Stripe is asked while the row is locked, so of two syncs the one that asked later writes
 * later; and it is asked after the call, but once for all who call before. Throws what Stripe or
 * PostgreSQL throw; nothing is written then.
 */
export function syncCustomer(stripeCustomerId: string): Promise<SyncOutcome> {
  return sharedSerialised(stripeCustomerId, async () => {
    try {
      return await getDatabase().db.transaction((tx) => syncLockedCustomer(stripeCustomerId, tx));
    } catch (error) {
      countSync("failed");
      throw error;
    }
  });
}

/** `syncCustomer` inside a transaction the caller has open, such as the one that fills the ledger. */
export async function syncLockedCustomer(
  stripeCustomerId: string,
  tx: Executor,
): Promise<SyncOutcome> {
  const profile = await lockProfileByCustomer(stripeCustomerId, tx);
  if (!profile) {
    countSync("unknown");
    log().warn({ stripeCustomerId }, "no profile has this Stripe customer; nothing to sync");
    return { kind: "unknown-customer" };
  }

  const { priceId } = requireStripe();
  const subscriptions = await listSubscriptions(stripeCustomerId);
  const state = billingStateOf(subscriptions, priceId);

  const live = blockingSubscriptions(subscriptions);
  if (live.length > 1) {
    log().error(
      { userId: profile.id, stripeCustomerId, subscriptions: live.map(({ id }) => id) },
      "this customer has more than one live subscription: refund and cancel the surplus one at Stripe",
    );
  }

  const checkoutOpenedAt = live.length > 0 ? null : profile.checkoutOpenedAt;
  await updateProfile(profile.id, { ...state, checkoutOpenedAt, syncedAt: new Date() }, tx);
  countSync("synced");
  log().info(
    {
      userId: profile.id,
      stripeCustomerId,
      subscription: state.stripeSubscriptionId,
      status: state.stripeSubscriptionStatus,
      accessUntil: state.stripeCurrentPeriodEnd,
    },
    "billing state synced",
  );
  return { kind: "synced", userId: profile.id, state };
}

/** All subscriptions of a customer with their latest invoices, cancelled ones too; none when Stripe no longer knows the customer. */
export async function listSubscriptions(stripeCustomerId: string): Promise<Stripe.Subscription[]> {
  const subscriptions: Stripe.Subscription[] = [];
  try {
    const pages = stripeClient().subscriptions.list({
      customer: stripeCustomerId,
      status: "all",
      limit: 100,
      expand: ["data.latest_invoice"],
    });
    for await (const subscription of pages) subscriptions.push(subscription);
  } catch (error) {
    if (!isMissingAtStripe(error)) throw error;
    return [];
  }
  return subscriptions;
}
