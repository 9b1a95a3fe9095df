import { setTimeout as sleep } from "node:timers/promises";
import pTimeout from "p-timeout";
import { isSubscribed } from "~/features/membership/access";
import { log } from "~/observability/log.server";
import { findProfile } from "~db/queries/profiles";
import { withCallPurpose } from "./call-purpose.server";
import { syncCustomer } from "./sync-customer.server";

/** The path to which Stripe's portal returns. */
export const PORTAL_RETURN_PATH = "/billing";

/** Maximum wait for the sync, in milliseconds. After that a webhook or the timer updates the row. */
const TIMEOUT_MS = 4_000;

/** Delay before another check while another sync pays with the new card, in milliseconds. */
const PAYMENT_INTERVAL_MS = 750;

/**
 * Syncs a user who returns from the portal and resolves to whether they are a member. Never throws Stripe's errors:
 * if it does not respond in time, or `mayCallStripe` refuses, the existing row decides. Makes no call for a user
 * without a Stripe customer.
 */
export async function returnFromPortal(
  userId: string,
  mayCallStripe: () => Promise<boolean>,
): Promise<boolean> {
  const before = await findProfile(userId);
  if (!before?.stripeCustomerId || !(await mayCallStripe())) {
    return isSubscribed(before, new Date());
  }
  await syncInTime(userId, before.stripeCustomerId);
  return isSubscribed(await findProfile(userId), new Date());
}

async function syncInTime(userId: string, stripeCustomerId: string): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  const synced = withCallPurpose("membership", async () => {
    for (;;) {
      const outcome = await syncCustomer(stripeCustomerId);
      if (outcome.kind !== "synced" || !outcome.isTryingNewCard) return;
      if (performance.now() + PAYMENT_INTERVAL_MS > deadline) return;
      await sleep(PAYMENT_INTERVAL_MS);
    }
  }).catch((error: unknown) =>
    log().error({ userId, err: error }, "the return from the portal could not be synced"),
  );
  await pTimeout(synced, { milliseconds: TIMEOUT_MS, message: false });
}
