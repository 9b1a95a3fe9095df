import type Stripe from "stripe";
import { log } from "~/observability/log.server";
import { ensureProfile, replaceCustomer } from "~db/queries/profiles";
import { findEmailOfUser, isEmailConfirmed } from "~db/queries/users";
import type { Profile } from "~db/schema";
import { customerState, UnknownCustomer } from "./customer-billing.server";
import { deleteCustomer } from "./delete-customer.server";
import { findOwnerless } from "./lost-membership.server";
import { isInvalidRequest, stripeClient } from "./stripe-client.server";
import { isOurs, siteMark } from "./stripe-site.server";

/** A user who has or will get a Stripe customer. */
export type Buyer = { id: string; email: string };

/** A user's Stripe customer. */
export type KnownCustomer = {
  id: string;
  /** Whether it was just created, so it cannot have bought anything yet. */
  isNew: boolean;
};

/** A membership is waiting for the owner of the buyer's address, which the buyer has not confirmed yet. */
export class AddressNotConfirmed extends Error {
  override name = "AddressNotConfirmed";
}

/**
 * Returns a user's only Stripe customer, creating it if needed; `profile` is the user's. The idempotency key is
 * derived from the user, and the customer is stored before anything is sold. A lost link, as in a restored backup, is
 * restored by the user id in the customer's metadata or, if its account is missing too, by its address; throws
 * AddressNotConfirmed until the buyer has confirmed that. A customer deleted at Stripe is replaced. Throws
 * UnknownCustomer for one that never existed in this account and mode: then the key is wrong and nothing must be
 * replaced. Also throws Stripe's and PostgreSQL's errors.
 */
export async function ensureCustomer(buyer: Buyer, profile: Profile): Promise<KnownCustomer> {
  const { stripeCustomerId: known } = profile;
  if (known !== null) {
    const state = await customerState(known);
    if (state === "unknown") throw new UnknownCustomer(known);
    return state === "there"
      ? { id: known, isNew: false }
      : replaceDeletedCustomer(buyer, profile, known);
  }
  const lost = await findLostCustomer(buyer, profile);
  const customer = lost
    ? { id: lost, isNew: false }
    : await createCustomer(buyer, `customer-${buyer.id}${afterFailures(profile)}`);
  return linkCustomer(buyer, null, customer);
}

/** Replaces a customer that was deleted at Stripe. */
async function replaceDeletedCustomer(
  buyer: Buyer,
  profile: Profile,
  deleted: string,
): Promise<KnownCustomer> {
  const key = `customer-${buyer.id}-after-${deleted}${afterFailures(profile)}`;
  return linkCustomer(buyer, deleted, await createCustomer(buyer, key));
}

async function linkCustomer(
  { id: userId }: Buyer,
  replaced: string | null,
  customer: KnownCustomer,
): Promise<KnownCustomer> {
  if (await replaceCustomer(userId, replaced, customer.id)) {
    log().info(
      { userId, stripeCustomerId: customer.id, replaced: replaced ?? undefined },
      customer.isNew ? "Stripe customer created" : "lost Stripe customer linked again",
    );
    return customer;
  }
  if ((await findEmailOfUser(userId)) === null) {
    // the account was deleted meanwhile, when its customer was not yet known
    await deleteCustomer(customer.id);
    throw new Error(
      `User ${userId} was deleted during the checkout, and customer ${customer.id} with it.`,
    );
  }
  const { stripeCustomerId } = await ensureProfile(userId);
  if (stripeCustomerId === null || stripeCustomerId === replaced) {
    throw new Error(`Customer ${customer.id} of user ${userId} is linked to another user.`);
  }
  return { id: stripeCustomerId, isNew: false };
}

/** Creates a customer, without the email address if Stripe rejects it; the checkout then asks for one. */
async function createCustomer(buyer: Buyer, idempotencyKey: string): Promise<KnownCustomer> {
  const metadata = { userId: buyer.id, ...(await siteMark()) };
  const { customers } = stripeClient();
  let customer: Stripe.Response<Stripe.Customer>;
  try {
    customer = await customers.create({ email: buyer.email, metadata }, { idempotencyKey });
  } catch (error) {
    if (!isInvalidRequest(error) || error.code !== "email_invalid") throw error;
    log().warn(
      { userId: buyer.id },
      "Stripe rejects this account's email address; the checkout asks for one",
    );
    customer = await customers.create(
      { metadata },
      { idempotencyKey: `${idempotencyKey}-without-email` },
    );
  }
  const isReplayed = customer.lastResponse.headers["idempotent-replayed"] === "true";
  return { id: customer.id, isNew: !isReplayed };
}

/** Returns the user's customer at Stripe that is missing from the row. */
async function findLostCustomer(buyer: Buyer, profile: Profile): Promise<string | null> {
  const { customers } = stripeClient();
  const mark = await siteMark();
  const isTheirs = ({ metadata }: Stripe.Customer) =>
    metadata.userId === buyer.id && isOurs(metadata, mark, { named: false });
  const { data: sameAddress } = await customers.list({ email: buyer.email, limit: 100 });
  const found = sameAddress.find(isTheirs);
  if (found) return found.id;
  const ownerless = await findOwnerless(sameAddress);
  if (ownerless) {
    if (await isEmailConfirmed(buyer.id)) return ownerless.id;
    throw new AddressNotConfirmed(`Customer ${ownerless.id} has the address of user ${buyer.id}.`);
  }
  if (profile.checkoutFailures === 0) return null;
  // It may have no email address.
  const { data: newest } = await customers.list({ limit: 100 });
  return newest.find(isTheirs)?.id ?? null;
}

/** Returns a key suffix after failures, which Stripe replays under the old key for a day. */
export function afterFailures({ checkoutFailures }: Profile): string {
  return checkoutFailures === 0 ? "" : `-after-${checkoutFailures}-failures`;
}
