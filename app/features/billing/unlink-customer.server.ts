import { updateProfile } from "~db/queries/profiles";
import { NEVER_A_MEMBER } from "./subscription-state";

/** Empties a user's row of all that Stripe said, the customer included. */
export function unlinkCustomer(userId: string): Promise<void> {
  return updateProfile(userId, {
    ...NEVER_A_MEMBER,
    stripeCustomerId: null,
    stripeCheckoutSessionId: null,
    checkoutOpenedAt: null,
    syncDueAt: null,
  });
}
