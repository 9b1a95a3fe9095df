import { isSubscribed } from "~/features/membership/access";
import { log } from "~/observability/log.server";
import { findProfile } from "~db/queries/profiles";
import type { Profile } from "~db/schema";
import { withCallPurpose } from "./call-purpose.server";
import { coalesce } from "./coalesce.server";
import { isMissingAtStripe, stripeClient } from "./stripe-client.server";
import { syncCustomer } from "./sync-customer.server";

/** What the success page shows; null for a visitor who has no business there. */
export type PurchaseState = "member" | "confirming" | null;

/** How long a row that was just synced is taken for what Stripe would say, in milliseconds. */
const FRESH_MS = 5_000;

/**
 * How far a user's purchase is. Only the user's own customer is synced, and a `session_id` proves
 * nothing by itself: another person's, a made-up or a missing one gives null unless the user is a
 * member anyway. When Stripe does not answer, the payment is "being confirmed", never an error.
 *
 * Stripe is only asked if the row leaves a question and `mayAskStripe` says yes, and once for all who
 * wait for the same answer; else the row is all there is to go by.
 */
export function confirmPurchase(
  userId: string,
  sessionId: string | null,
  mayAskStripe: () => Promise<boolean>,
): Promise<PurchaseState> {
  const session = sessionId && /^cs_[A-Za-z0-9_]{1,250}$/.test(sessionId) ? sessionId : null;
  return withCallPurpose("membership", () =>
    coalesce(`purchase ${userId} ${session}`, () => confirm(userId, session, mayAskStripe)),
  );
}

async function confirm(
  userId: string,
  sessionId: string | null,
  mayAskStripe: () => Promise<boolean>,
): Promise<PurchaseState> {
  try {
    const before = await findProfile(userId);
    const isMember = isMemberNow(before);
    // a payment can be younger than a row that says no, but then its session comes along
    if (isFresh(before) && (isMember || !sessionId)) return isMember ? "member" : null;
    if (!(await mayAskStripe())) {
      if (isMember) return "member";
      return sessionId && sessionId === before?.stripeCheckoutSessionId ? "confirming" : null;
    }

    if (before?.stripeCustomerId) await syncCustomer(before.stripeCustomerId);
    if (isMemberNow(await findProfile(userId))) return "member";
    return sessionId && (await isPaidByUser(userId, sessionId)) ? "confirming" : null;
  } catch (error) {
    log().error({ userId, err: error }, "the payment could not be confirmed yet");
    return "confirming";
  }
}

const isMemberNow = (profile: Profile | null) => isSubscribed(profile, new Date());

function isFresh(profile: Profile | null): boolean {
  return !!profile?.syncedAt && Date.now() - profile.syncedAt.getTime() < FRESH_MS;
}

/** Whether a session is the user's own and was completed at Stripe, paid or still settling. */
async function isPaidByUser(userId: string, sessionId: string): Promise<boolean> {
  try {
    const session = await stripeClient().checkout.sessions.retrieve(sessionId);
    return session.client_reference_id === userId && session.status === "complete";
  } catch (error) {
    if (isMissingAtStripe(error)) return false;
    throw error;
  }
}
