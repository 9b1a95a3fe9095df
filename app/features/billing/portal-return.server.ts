import pTimeout from "p-timeout";
import { isSubscribed } from "~/features/membership/access";
import { log } from "~/observability/log.server";
import { findProfile } from "~db/queries/profiles";
import { withCallPurpose } from "./call-purpose.server";
import { syncCustomer } from "./sync-customer.server";

/** Where Stripe's portal sends its visitors back to. */
export const PORTAL_RETURN_PATH = "/billing";

/** How long the visitor waits for Stripe's word, in milliseconds; a webhook or the timer brings it otherwise. */
const TIMEOUT_MS = 4_000;

/**
 * Whether somebody who comes back from the portal is a member, after what they changed there is written
 * to their row. Never throws for Stripe's sake: without its answer in time, or with `mayAskStripe` saying
 * no, the row is all there is to go by. Somebody without a Stripe customer costs no call.
 */
export async function returnFromPortal(
  userId: string,
  mayAskStripe: () => Promise<boolean>,
): Promise<boolean> {
  const before = await findProfile(userId);
  if (!before?.stripeCustomerId || !(await mayAskStripe())) {
    return isSubscribed(before, new Date());
  }
  await syncInTime(userId, before.stripeCustomerId);
  return isSubscribed(await findProfile(userId), new Date());
}

async function syncInTime(userId: string, stripeCustomerId: string): Promise<void> {
  const synced = withCallPurpose("membership", () => syncCustomer(stripeCustomerId)).catch(
    (error: unknown) =>
      log().error({ userId, err: error }, "the return from the portal could not be synced"),
  );
  await pTimeout(synced, { milliseconds: TIMEOUT_MS, message: false });
}
