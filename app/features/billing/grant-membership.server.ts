import { log } from "~/observability/log.server";
import { db } from "~db/client";
import { upsertGrant } from "~db/queries/membership-grants";
import { ensureProfile, lockProfile } from "~db/queries/profiles";
import { NO_MEMBERSHIP } from "./subscription-state";
import { syncCustomer } from "./sync-customer.server";
import { writeBillingState } from "./write-billing-state.server";

/** The last second of a day such as `2027-06-30` in UTC, until which a membership is granted; null for any other text. */
export function endOfDay(text: string): Date | null {
  const end = new Date(`${text}T23:59:59Z`);
  return Number.isNaN(end.getTime()) || end.toISOString().slice(0, 10) !== text ? null : end;
}

/**
 * Makes an account's membership complimentary until then; a time that has come ends that. A subscription is not
 * touched, and access lasts until the later end. Returns false if Stripe has yet to say how long the subscription
 * gives access: the timer asks it again. Throws PostgreSQL's errors.
 */
export async function grantMembership(userId: string, until: Date): Promise<boolean> {
  await ensureProfile(userId);
  const { customer, isPayer } = await db().transaction(async (tx) => {
    const profile = await lockProfile(userId, tx);
    if (!profile) throw new Error(`There is no profile for user ${userId}.`);
    await upsertGrant(userId, until, tx);
    const isPayer = profile.stripeSubscriptionId !== null;
    // the row of a payer may have its end from a grant, so only a sync can shorten it
    const due = isPayer ? { syncDueAt: new Date() } : {};
    await writeBillingState(userId, isPayer ? profile : NO_MEMBERSHIP, due, tx);
    return { customer: profile.stripeCustomerId, isPayer };
  });
  if (!isPayer || customer === null) return true;
  try {
    await syncCustomer(customer);
    return true;
  } catch (error) {
    log().error({ userId, err: error }, "the subscription could not be read after a grant");
    return false;
  }
}
