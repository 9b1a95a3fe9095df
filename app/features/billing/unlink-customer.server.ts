import { updateProfile } from "~db/queries/profiles";
import { NO_MEMBERSHIP } from "./subscription-state";

/** Clears all billing data from a user's row, including the customer. */
export function unlinkCustomer(userId: string): Promise<void> {
  return updateProfile(userId, {
    ...NO_MEMBERSHIP,
    stripeCustomerId: null,
    stripeCheckoutSessionId: null,
    checkoutOpenedAt: null,
    syncDueAt: null,
  });
}
