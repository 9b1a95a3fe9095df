import { log } from "~/observability/log.server";
import { findProfile } from "~db/queries/profiles";
import { withCallPurpose } from "./call-purpose.server";
import { stripeClient } from "./stripe-client.server";
import { syncCustomer } from "./sync-customer.server";

/**
 * Takes back the cancellation of a user's membership and returns whether it goes on. Never throws: logs every failure.
 */
export async function keepMembership(userId: string): Promise<boolean> {
  try {
    const profile = await findProfile(userId);
    const { stripeCustomerId: customer, stripeSubscriptionId: id } = { ...profile };
    if (!customer || !id) return false;
    return await withCallPurpose("membership", async () => {
      const { subscriptions } = stripeClient();
      const { cancel_at_period_end } = await subscriptions.retrieve(id);
      const change = cancel_at_period_end
        ? { cancel_at_period_end: false }
        : { cancel_at: "" as const };
      await subscriptions.update(id, change);
      const synced = await syncCustomer(customer);
      return synced.kind === "synced" && synced.state.stripeCancelAt === null;
    });
  } catch (error) {
    log().error({ userId, err: error }, "a cancellation could not be taken back");
    return false;
  }
}
