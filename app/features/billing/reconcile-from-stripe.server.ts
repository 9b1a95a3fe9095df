import type Stripe from "stripe";
import { readEmail } from "~/environment/email-address.server";
import { log } from "~/observability/log.server";
import { OperatorError } from "~db/operator-error";
import { findProfile, findProfileByCustomer } from "~db/queries/profiles";
import { findUserByEmail, findUserById } from "~db/queries/users";
import { isUuid } from "~db/uuid";
import { idOf } from "./coverage";
import { membershipItem } from "./customer-billing.server";
import { inPages, inParallel } from "./in-parallel";
import { hasLiveMembership, linkLostCustomer } from "./lost-membership.server";
import { premiumProducts } from "./premium-product.server";
import { stripeClient } from "./stripe-client.server";
import { isMarked, isOurs, type SiteMark, siteMark } from "./stripe-site.server";
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
  /** This site sold it, and no account belongs to it. */
  | { kind: "ownerless"; userId: string | null }
  /** Nothing shows that this site sold it: perhaps a Payment Link, the dashboard or another site did. */
  | { kind: "not-sold" };

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
  /** Other memberships that no row names. */
  unresolved: AccountMembership[];
};

/**
 * Syncs the rows of all live memberships that this site sold. If a row has lost its customer, as in a restored
 * backup, restores the link by the user id in the subscription's or customer's metadata. If that account is missing,
 * uses the customer's address, once an account has confirmed it. Throws Stripe's and PostgreSQL's errors.
 */
export async function reconcileFromStripe(
  onProgress?: (synced: number) => void,
): Promise<FromStripeResult> {
  const result: FromStripeResult = { synced: 0, failed: 0, adopted: [], unresolved: [] };
  const sync = async (membership: AccountMembership) => {
    const { owner, stripeCustomerId } = membership;
    const isLinked =
      owner.kind === "lost" && (await linkLostCustomer({ ...owner, stripeCustomerId }));
    if (isLinked) {
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
 * Finds each live membership's owner and calls `work` with it, several concurrently. Leaves out other sites'. Passes
 * failures to `onError` and continues; throws them if there is none.
 */
export async function forEachAccountMembership(
  work: (membership: AccountMembership) => Promise<void>,
  onError?: (stripeCustomerId: string, error: unknown) => void,
): Promise<void> {
  const [products, mark] = [await premiumProducts(), await siteMark()];
  // Without a status filter, Stripe lists all subscriptions that are not canceled.
  const subscriptions = stripeClient().subscriptions.list({ limit: PAGE_SIZE });
  for await (const page of inPages(subscriptions, PAGE_SIZE)) {
    await inParallel(page, async (subscription) => {
      if (isOver(subscription) || !membershipItem(subscription, products)) return;
      const stripeCustomerId = idOf(subscription.customer);
      if (stripeCustomerId === null) return;
      try {
        const owner = await findOwner(subscription, stripeCustomerId, mark);
        if (owner) await work({ subscriptionId: subscription.id, stripeCustomerId, owner });
      } catch (error) {
        if (!onError) throw error;
        onError(stripeCustomerId, error);
      }
    });
  }
}

/** Returns a membership's owner; null if another site sold it. */
async function findOwner(
  { metadata }: Stripe.Subscription,
  stripeCustomerId: string,
  mark: SiteMark,
): Promise<MembershipOwner | null> {
  if (!isOurs(metadata, mark, { named: true })) return null;
  const linked = await findProfileByCustomer(stripeCustomerId);
  if (linked) return { kind: "linked", userId: linked.id };
  let userId = isMarked(metadata) ? await findAccount(metadata.userId) : null;
  if (userId === null) {
    const customer = await stripeClient().customers.retrieve(stripeCustomerId);
    if (customer.deleted) return null;
    // a subscription that the author made for this site's customer is this site's too
    const isOwn = isMarked(metadata) || isOurs(customer.metadata, mark, { named: false });
    if (!isOwn) return isMarked(customer.metadata) ? null : { kind: "not-sold" };
    userId = await accountOfCustomer(customer);
  }
  if (userId === null) return { kind: "ownerless", userId: metadata.userId ?? null };
  const linkedCustomer = (await findProfile(userId))?.stripeCustomerId ?? null;
  if (linkedCustomer !== null && (await hasLiveMembership(linkedCustomer))) {
    return { kind: "surplus", userId, linkedCustomer };
  }
  return { kind: "lost", userId, replaces: linkedCustomer };
}

/** Returns the account that a customer names, or else the one that has confirmed its address. */
async function accountOfCustomer({ email, metadata }: Stripe.Customer): Promise<string | null> {
  const userId = await findAccount(metadata.userId);
  // as somebody typed it
  const address = readEmail(email);
  if (userId || !address) return userId;
  const user = await findUserByEmail(address);
  return user?.emailConfirmedAt ? user.id : null;
}

async function findAccount(userId: string | undefined): Promise<string | null> {
  return userId && isUuid(userId) && (await findUserById(userId)) ? userId : null;
}

/**
 * Gives a membership that this site did not sell, as by a Payment Link or in the dashboard, to the account with an
 * address. Throws OperatorError if it cannot be given, and Stripe's and PostgreSQL's errors.
 */
export async function giveMembership(subscriptionId: string, email: string): Promise<void> {
  const user = await findUserByEmail(email);
  if (!user) throw new OperatorError("No account has this address.");
  const subscription = await stripeClient().subscriptions.retrieve(subscriptionId);
  const customer = idOf(subscription.customer);
  const owner =
    customer === null ? null : await findOwner(subscription, customer, await siteMark());
  if (!owner || customer === null) throw new OperatorError("Another site has sold it.");
  if (isOver(subscription) || !membershipItem(subscription, await premiumProducts())) {
    throw new OperatorError("It isn't a running subscription to one of this site's products.");
  }
  if (owner.kind === "linked") {
    throw new OperatorError(`It already belongs to account ${owner.userId}.`);
  }
  const replaces = (await findProfile(user.id))?.stripeCustomerId ?? null;
  if (replaces !== null && (await hasLiveMembership(replaces))) {
    throw new OperatorError("The account already has a membership: end one of the two at Stripe.");
  }
  if (!(await linkLostCustomer({ stripeCustomerId: customer, userId: user.id, replaces }))) {
    throw new OperatorError("The account was changed in the meantime: run this again.");
  }
  await syncCustomer(customer);
}
