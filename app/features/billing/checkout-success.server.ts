import { isSubscribed } from "~/features/membership/access";
import { isComplimentary, membershipStatus } from "~/features/membership/membership-state";
import { nextPayment } from "~/features/membership/next-payment";
import { log } from "~/observability/log.server";
import { isWithin } from "~db/clock";
import { findProfile } from "~db/queries/profiles";
import type { Profile } from "~db/schema";
import { withCallPurpose } from "./call-purpose.server";
import { coalesce } from "./coalesce.server";
import type { MembershipFuture } from "./membership-status-text";
import { isMissingAtStripe, stripeClient } from "./stripe-client.server";
import { syncCustomer } from "./sync-customer.server";

/** The state the success page shows; null for a visitor without a purchase. */
export type PurchaseState = "member" | "confirming" | null;

/** How long after a sync the row is used without calling Stripe, in milliseconds. */
const FRESH_FOR_MS = 5_000;

/**
 * Returns the state of a user's purchase. Returns null unless the user is a member or `sessionId` is
 * their own checkout's. Never throws: if Stripe does not respond, the state is "confirming". Calls Stripe only if the
 * row is inconclusive and `mayCallStripe` allows it, once for all concurrent requests of a purchase.
 */
export function confirmPurchase(
  userId: string,
  sessionId: string | null,
  mayCallStripe: () => Promise<boolean>,
): Promise<PurchaseState> {
  const session = sessionId && /^cs_[A-Za-z0-9_]{1,250}$/.test(sessionId) ? sessionId : null;
  return withCallPurpose("membership", () =>
    coalesce(`purchase ${userId} ${session}`, () => confirm(userId, session, mayCallStripe)),
  );
}

async function confirm(
  userId: string,
  sessionId: string | null,
  mayCallStripe: () => Promise<boolean>,
): Promise<PurchaseState> {
  try {
    const before = await findProfile(userId);
    const isMember = isMemberNow(before);
    // A payment may be newer than the row, but then the request has its session id.
    if (isFresh(before) && (isMember || !sessionId)) return isMember ? "member" : null;
    if (!(await mayCallStripe())) {
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

/** Returns how a user's membership continues, as stored; null without one. */
export async function membershipOf(userId: string): Promise<MembershipFuture | null> {
  const profile = await findProfile(userId);
  return profile && { status: membershipStatus(profile), nextPayment: nextPayment(profile) };
}

/** Returns whether a subscription gives access: a complimentary membership is no purchase. */
function isMemberNow(profile: Profile | null): boolean {
  const now = new Date();
  return profile !== null && isSubscribed(profile, now) && !isComplimentary(profile, now);
}

function isFresh(profile: Profile | null): boolean {
  return isWithin(profile?.syncedAt ?? null, FRESH_FOR_MS);
}

/** Returns whether a session is the user's own and complete at Stripe, paid or still settling. */
async function isPaidByUser(userId: string, sessionId: string): Promise<boolean> {
  try {
    const session = await stripeClient().checkout.sessions.retrieve(sessionId);
    return session.client_reference_id === userId && session.status === "complete";
  } catch (error) {
    if (isMissingAtStripe(error)) return false;
    throw error;
  }
}
