import { log } from "~/observability/log.server";
import { clearEmailDue, findProfile } from "~db/queries/profiles";
import { findEmailOfUser } from "~db/queries/users";
import type { Profile } from "~db/schema";
import { withCallPurpose } from "./call-purpose.server";
import { isInvalidRequest, PaymentsNotConfigured, stripeClient } from "./stripe-client.server";

/**
 * Updates a customer's email address at Stripe if that is due; receipts then go there
 * (https://docs.stripe.com/api/customers/update). If Stripe rejects the address, the old one stays, without a retry.
 * Throws Stripe's and PostgreSQL's errors; the update then stays due.
 */
export async function updateCustomerEmail(
  profile: Pick<Profile, "id" | "stripeCustomerId" | "isEmailDueAtStripe">,
): Promise<void> {
  const { id: userId, stripeCustomerId, isEmailDueAtStripe } = profile;
  if (!isEmailDueAtStripe || stripeCustomerId === null) return;
  const email = await findEmailOfUser(userId);
  if (email === null) return;
  try {
    await stripeClient().customers.update(stripeCustomerId, { email });
  } catch (error) {
    if (!isInvalidRequest(error) || error.code !== "email_invalid") throw error;
    log().warn({ userId, stripeCustomerId }, "Stripe rejects this account's new email address");
  }
  await clearEmailDue(userId, email);
}

/** Sends Stripe a new address at once; leaves failures to the next sync. Never throws. */
export async function syncNewEmail(userId: string): Promise<void> {
  try {
    const profile = await findProfile(userId);
    if (profile) await withCallPurpose("background", () => updateCustomerEmail(profile));
  } catch (error) {
    if (error instanceof PaymentsNotConfigured) return;
    log().warn(
      { err: error, userId },
      "Stripe could not be told a new address; it will be tried again",
    );
  }
}
