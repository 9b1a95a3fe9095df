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
import { inPages } from "./in-pages";
import { inParallel } from "./in-parallel";
import { premiumProducts } from "./premium-product.server";
import { isInvalidRequest, isMissingAtStripe, stripeClient } from "./stripe-client.server";
import { isOver } from "./subscription-state";
import { syncCustomer } from "./sync-customer.server";

/** Subscriptions read at a time, which is as many as Stripe lists at once. */
const PAGE = 100;

/** A membership at Stripe and what the database knows of it. */
export type MembershipOwner =
  | { kind: "linked"; userId: string }
  /** Its user is there, and the row has no customer, or one that has no membership going on. */
  | { kind: "lost"; userId: string; replaces: string | null }
  /** Its user pays another one too, through the customer that the row names. */
  | { kind: "surplus"; userId: string; linkedCustomer: string }
  /** Nobody with an account has it. */
  | { kind: "ownerless"; userId: string | null };

/** A live membership of the account, whoever has it. */
export type AccountMembership = {
  subscriptionId: string;
  stripeCustomerId: string;
  owner: MembershipOwner;
};

export type FromStripeResult = {
  /** Memberships whose row was synced, those just adopted included. */
  synced: number;
  failed: number;
  adopted: AccountMembership[];
  /** Memberships that somebody pays and the site can do nothing about by itself. */
  unresolved: AccountMembership[];
};

/**
 * Walks all memberships of the account that go on, and makes the rows fit: one that has lost its link to the
 * customer, as in a restored backup, gets it back, by the user's id that the subscription or its customer
 * carries. Never by the e-mail address, which proves nothing here. Throws what Stripe or PostgreSQL throw.
 */
export async function reconcileFromStripe(
  tell?: (looked: number) => void,
): Promise<FromStripeResult> {
  const result: FromStripeResult = { synced: 0, failed: 0, adopted: [], unresolved: [] };
  let looked = 0;
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
    if (++looked % 500 === 0) tell?.(looked);
  };
  await forEachAccountMembership(sync, (stripeCustomerId, error) => {
    result.failed++;
    log().error({ stripeCustomerId, err: error }, "a membership at Stripe could not be synced");
  });
  return result;
}

/**
 * Finds whose each live membership of the account is, and does some work for it, several at the same time.
 * What fails for one of them is thrown, or told to `fail` if there is one, and the walk goes on.
 */
export async function forEachAccountMembership(
  work: (membership: AccountMembership) => Promise<void>,
  fail?: (stripeCustomerId: string, error: unknown) => void,
): Promise<void> {
  const products = await premiumProducts();
  // without a status Stripe lists all that are not cancelled
  const subscriptions = stripeClient().subscriptions.list({ limit: PAGE });
  for await (const page of inPages(subscriptions, PAGE)) {
    await inParallel(page, async (subscription) => {
      if (isOver(subscription) || !membershipItem(subscription, products)) return;
      const stripeCustomerId = idOf(subscription.customer);
      if (stripeCustomerId === null) return;
      try {
        const owner = await findOwner(subscription, stripeCustomerId);
        await work({ subscriptionId: subscription.id, stripeCustomerId, owner });
      } catch (error) {
        if (!fail) throw error;
        fail(stripeCustomerId, error);
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
      "a membership that had lost its account was given back to it",
    );
  }
  return isAdopted;
}

/**
 * Closes what a user could still pay as a customer whom no row will name: it would be a second membership.
 * False if one was paid just now.
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

/** Whether a text can be the id of an account; PostgreSQL refuses to look for any other. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
