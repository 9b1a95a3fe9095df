import type Stripe from "stripe";
import { log } from "~/observability/log.server";
import { findMissingUsers } from "~db/queries/billing-examination";
import { ensureProfile, findProfile, replaceCustomer } from "~db/queries/profiles";
import { findUserById } from "~db/queries/users";
import { isUuid } from "~db/uuid";
import { withCallPurpose } from "./call-purpose.server";
import { listLiveMemberships } from "./customer-billing.server";
import {
  isInvalidRequest,
  isMissingAtStripe,
  PaymentsNotConfigured,
  stripeClient,
} from "./stripe-client.server";
import { isOurs, siteMark } from "./stripe-site.server";
import { syncCustomer } from "./sync-customer.server";

/** A customer at Stripe whose membership an account's row does not name. */
export type LostCustomer = { stripeCustomerId: string; userId: string; replaces: string | null };

/**
 * Returns which of these customers of this site has a live membership and no account, as after restoring a backup
 * from before its holder signed up. Throws Stripe's and PostgreSQL's errors.
 */
export async function findOwnerless(
  customers: readonly Stripe.Customer[],
): Promise<Stripe.Customer | null> {
  const mark = await siteMark();
  const ours = customers.filter(({ metadata }) => isOurs(metadata, mark, { named: false }));
  const userIds = ours.flatMap(({ metadata: { userId } }) =>
    userId && isUuid(userId) ? [userId] : [],
  );
  const missing = await findMissingUsers(userIds);
  for (const customer of ours) {
    if (!missing.has(customer.metadata.userId ?? "")) continue;
    if (await hasLiveMembership(customer.id)) return customer;
  }
  return null;
}

/**
 * Gives a membership whose holder has no account back to the account with its address, which must be confirmed. Does
 * nothing for an account that has a membership. Never throws: the next checkout finds it too, before anything is sold.
 */
export async function giveBackMembership(userId: string): Promise<void> {
  try {
    const [user, profile] = await Promise.all([findUserById(userId), findProfile(userId)]);
    if (!user?.emailConfirmedAt) return;
    await withCallPurpose("membership", async () => {
      const { data } = await stripeClient().customers.list({ email: user.email, limit: 100 });
      const found = await findOwnerless(data);
      const replaces = profile?.stripeCustomerId ?? null;
      if (!found || (replaces !== null && (await hasLiveMembership(replaces)))) return;
      if (await linkLostCustomer({ stripeCustomerId: found.id, userId, replaces })) {
        await syncCustomer(found.id);
      }
    });
  } catch (error) {
    if (error instanceof PaymentsNotConfigured) return;
    log().error({ userId, err: error }, "it could not be seen whether an account has a membership");
  }
}

/**
 * Links a customer with a membership to an account. Returns false, with nothing changed, if a checkout of the
 * customer in the row has just been paid, or the row has changed.
 */
export async function linkLostCustomer({
  stripeCustomerId,
  userId,
  replaces,
}: LostCustomer): Promise<boolean> {
  await ensureProfile(userId);
  if (replaces !== null && !(await closeCheckouts(userId, replaces))) return false;
  const isLinked = await replaceCustomer(userId, replaces, stripeCustomerId);
  if (isLinked) {
    log().warn(
      { userId, stripeCustomerId, replaces: replaces ?? undefined },
      "a membership was linked to its account again",
    );
  }
  return isLinked;
}

/**
 * Expires the open checkout sessions of a customer about to be unlinked; paying one would create a second membership.
 * Returns false if one has just been paid.
 */
async function closeCheckouts(userId: string, customer: string): Promise<boolean> {
  const { sessions } = stripeClient().checkout;
  try {
    for await (const session of sessions.list({ customer, status: "open", limit: 100 })) {
      if (session.client_reference_id === userId) await sessions.expire(session.id);
    }
    return true;
  } catch (error) {
    if (!isInvalidRequest(error)) throw error;
    return isMissingAtStripe(error, "customer");
  }
}

/** Returns whether a customer has a live membership; false for one that Stripe does not know. */
export async function hasLiveMembership(stripeCustomerId: string): Promise<boolean> {
  try {
    return (await listLiveMemberships(stripeCustomerId)).length > 0;
  } catch (error) {
    if (isMissingAtStripe(error, "customer")) return false;
    throw error;
  }
}
