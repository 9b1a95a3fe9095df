import type Stripe from "stripe";
import { log } from "~/observability/log.server";
import {
  ensureProfile,
  findProfile,
  findProfileByCustomer,
  replaceCustomer,
} from "~db/queries/profiles";
import { findAccountCreation } from "~db/queries/users";
import { idOf } from "./coverage";
import { listLiveMemberships, membershipItem } from "./customer-billing.server";
import { inPages, inParallel } from "./in-parallel";
import { premiumProducts } from "./premium-product.server";
import { isInvalidRequest, isMissingAtStripe, stripeClient } from "./stripe-client.server";
import { isOver } from "./subscription-state";
import { syncCustomer } from "./sync-customer.server";

/** Subscriptions per page, the maximum of Stripe's list calls. */
const PAGE_SIZE = 100;

/** The owner of a membership at Stripe, according to the database. */
export type MembershipOwner =
  | { kind: "linked"; userId: string }
  /** Its user exists, but the row has no customer or one without a live membership. */
  | { kind: "lost"; userId: string; replaces: string | null }
  /** Its user pays for another one too, through the row's customer. */
  | { kind: "surplus"; userId: string; linkedCustomer: string }
  /** No account belongs to it. */
  | { kind: "ownerless"; userId: string | null };

/** A live membership in the Stripe account, with or without an owner. */
export type AccountMembership = {
  subscriptionId: string;
  stripeCustomerId: string;
  owner: MembershipOwner;
};

export type FromStripeResult = {
  /** Memberships whose row was synced, including adopted ones. */
  synced: number;
  failed: number;
  adopted: AccountMembership[];
  /** Paid memberships that need the operator. */
  unresolved: AccountMembership[];
};

/**
 * Syncs the rows of all live memberships in the Stripe account. If a row has lost its customer, as in a restored
 * backup, restores the link by the user id in the subscription's or customer's metadata. Never uses the email
 * address, which proves nothing. Throws Stripe's and PostgreSQL's errors.
 */
export async function reconcileFromStripe(
  onProgress?: (synced: number) => void,
): Promise<FromStripeResult> {
  const result: FromStripeResult = { synced: 0, failed: 0, adopted: [], unresolved: [] };
  const sync = async (membership: AccountMembership) => {
    const { owner, stripeCustomerId } = membership;
    if (owner.kind === "lost" && (await adopt(membership, owner))) {
      result.adopted.push(membership);
    } else if (owner.kind !== "linked") {
      result.unresolved.push(membership);
      return;
    }
    await syncCustomer(stripeCustomerId);
    result.synced++;
    if (result.synced % 500 === 0) onProgress?.(result.synced);
  };
  await forEachAccountMembership(sync, (stripeCustomerId, error) => {
    result.failed++;
    log().error({ stripeCustomerId, err: error }, "a membership at Stripe could not be synced");
  });
  return result;
}

/**
 * Finds each live membership's owner and calls `work` with it, several concurrently. Passes failures to `onError` and
 * continues; throws them if there is none.
 */
export async function forEachAccountMembership(
  work: (membership: AccountMembership) => Promise<void>,
  onError?: (stripeCustomerId: string, error: unknown) => void,
): Promise<void> {
  const products = await premiumProducts();
  // Without a status filter, Stripe lists all subscriptions that are not cancelled.
  const subscriptions = stripeClient().subscriptions.list({ limit: PAGE_SIZE });
  for await (const page of inPages(subscriptions, PAGE_SIZE)) {
    await inParallel(page, async (subscription) => {
      if (isOver(subscription) || !membershipItem(subscription, products)) return;
      const stripeCustomerId = idOf(subscription.customer);
      if (stripeCustomerId === null) return;
      try {
        const owner = await findOwner(subscription, stripeCustomerId);
        await work({ subscriptionId: subscription.id, stripeCustomerId, owner });
      } catch (error) {
        if (!onError) throw error;
        onError(stripeCustomerId, error);
      }
    });
  }
}

async function findOwner(
  subscription: Stripe.Subscription,
  stripeCustomerId: string,
): Promise<MembershipOwner> {
  const linked = await findProfileByCustomer(stripeCustomerId);
  if (linked) return { kind: "linked", userId: linked.id };
  const userId = subscription.metadata.userId ?? (await userIdOfCustomer(stripeCustomerId));
  if (!userId || !isUuid(userId) || !(await findAccountCreation(userId))) {
    return { kind: "ownerless", userId: userId ?? null };
  }
  const linkedCustomer = (await findProfile(userId))?.stripeCustomerId ?? null;
  if (linkedCustomer !== null && (await hasLiveMembership(linkedCustomer))) {
    return { kind: "surplus", userId, linkedCustomer };
  }
  return { kind: "lost", userId, replaces: linkedCustomer };
}

async function adopt(
  { subscriptionId, stripeCustomerId }: AccountMembership,
  { userId, replaces }: Extract<MembershipOwner, { kind: "lost" }>,
): Promise<boolean> {
  await ensureProfile(userId);
  if (replaces !== null && !(await closeCheckouts(userId, replaces))) return false;
  const isAdopted = await replaceCustomer(userId, replaces, stripeCustomerId);
  if (isAdopted) {
    log().warn(
      { userId, stripeCustomerId, subscription: subscriptionId, replaces: replaces ?? undefined },
      "a membership was linked to its account again",
    );
  }
  return isAdopted;
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

async function hasLiveMembership(stripeCustomerId: string): Promise<boolean> {
  try {
    return (await listLiveMemberships(stripeCustomerId)).length > 0;
  } catch (error) {
    if (isMissingAtStripe(error, "customer")) return false;
    throw error;
  }
}

async function userIdOfCustomer(stripeCustomerId: string): Promise<string | undefined> {
  const customer = await stripeClient().customers.retrieve(stripeCustomerId);
  return customer.deleted ? undefined : customer.metadata.userId;
}

/** Returns whether a text can be an account id; PostgreSQL rejects queries with any other. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
