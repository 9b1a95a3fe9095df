import { updateProfile } from "~db/queries/profiles";
import { NO_MEMBERSHIP } from "./subscription-state";

/** Empties a user's row of all that Stripe said, the customer included. */
export function unlinkCustomer(userId: string): Promise<void> {
  return updateProfile(userId, {
    ...NO_MEMBERSHIP,
    stripeCustomerId: null,
    stripeCheckoutSessionId: null,
    checkoutOpenedAt: null,
    syncDueAt: null,
  });
}
