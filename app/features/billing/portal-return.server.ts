import { setTimeout as sleep } from "node:timers/promises";
import pTimeout from "p-timeout";
import { isSubscribed } from "~/features/membership/access";
import { membershipProblem } from "~/features/membership/membership-state";
import { log } from "~/observability/log.server";
import { findProfile } from "~db/queries/profiles";
import { withCallPurpose } from "./call-purpose.server";
import type { NewCard } from "./card-actions.server";
import { syncCustomer } from "./sync-customer.server";

/** The path to which Stripe's portal returns. */
export const PORTAL_RETURN_PATH = "/billing";

/** Maximum wait for the sync, in milliseconds. After that a webhook or the timer updates the row. */
const TIMEOUT_MS = 4_000;

/** Delay before another check while another sync pays with the new card, in milliseconds. */
const PAYMENT_INTERVAL_MS = 750;

/** What a user returns from the portal to. */
export type PortalReturn = {
  isMember: boolean;
  /** What came of the payment that was owed; null if none was, or no new card was tried. */
  payment: "paid" | "declined" | "trying" | "to-confirm" | null;
};

/** Problems that a new card may solve. */
const OWED = new Set<unknown>(["past-due", "unpaid", "to-confirm"]);

/**
 * Syncs a user who returns from the portal. Never throws Stripe's errors: if it does not respond in time, or
 * `mayCallStripe` refuses, the existing row decides. Makes no call for a user without a Stripe customer.
 */
export async function returnFromPortal(
  userId: string,
  mayCallStripe: () => Promise<boolean>,
): Promise<PortalReturn> {
  const before = await findProfile(userId);
  if (!before?.stripeCustomerId || !(await mayCallStripe())) {
    return { isMember: isSubscribed(before, new Date()), payment: null };
  }
  const newCard = await syncInTime(userId, before.stripeCustomerId);
  const after = await findProfile(userId);
  const isMember = isSubscribed(after, new Date());
  if (!after || !OWED.has(membershipProblem(before))) return { isMember, payment: null };
  const problem = membershipProblem(after);
  if (problem === null && isMember) return { isMember, payment: "paid" };
  return { isMember, payment: problem === "to-confirm" ? problem : newCard };
}

async function syncInTime(userId: string, stripeCustomerId: string): Promise<NewCard> {
  const deadline = performance.now() + TIMEOUT_MS;
  const synced = withCallPurpose("membership", async (): Promise<NewCard> => {
    for (;;) {
      const outcome = await syncCustomer(stripeCustomerId);
      if (outcome.kind !== "synced") return null;
      const isLast = performance.now() + PAYMENT_INTERVAL_MS > deadline;
      if (outcome.newCard !== "trying" || isLast) return outcome.newCard;
      await sleep(PAYMENT_INTERVAL_MS);
    }
  }).catch((error: unknown) => {
    log().error({ userId, err: error }, "the return from the portal could not be synced");
    return null;
  });
  return (await pTimeout(synced, { milliseconds: TIMEOUT_MS, message: false })) ?? null;
}
