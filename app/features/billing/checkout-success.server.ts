import { log } from "~/server/log.server";
import { findProfile } from "~db/queries/profiles";
import { isSubscribed } from "./access";
import { isMissingAtStripe, stripeClient } from "./stripe-client.server";
import { syncCustomer } from "./sync-customer.server";

/** What the success page shows; null for a visitor who has no business there. */
export type PurchaseState = "member" | "confirming" | null;

/**
 * How far a user's purchase is. Only the user's own customer is synced, and a `session_id` proves
 * nothing by itself: another person's, a made-up or a missing one gives null unless the user is a
 * member anyway. When Stripe does not answer, the payment is "being confirmed", never an error.
 */
export async function confirmPurchase(
  userId: string,
  sessionId: string | null,
): Promise<PurchaseState> {
  try {
    const before = await findProfile(userId);
    if (before?.stripeCustomerId) await syncCustomer(before.stripeCustomerId);
    if (isSubscribed(await findProfile(userId), new Date())) return "member";
    return sessionId && (await isPaidByUser(userId, sessionId)) ? "confirming" : null;
  } catch (error) {
    log().error({ userId, err: error }, "the payment could not be confirmed yet");
    return "confirming";
  }
}

/** Whether a session is the user's own and was completed at Stripe, paid or still settling. */
async function isPaidByUser(userId: string, sessionId: string): Promise<boolean> {
  if (!/^cs_[A-Za-z0-9_]{1,250}$/.test(sessionId)) return false;
  try {
    const session = await stripeClient().checkout.sessions.retrieve(sessionId);
    return session.client_reference_id === userId && session.status === "complete";
  } catch (error) {
    if (isMissingAtStripe(error)) return false;
    throw error;
  }
}
