import { env } from "~/env.server";
import type { Transaction } from "~db/client";
import { findGrantedUntil } from "~db/queries/membership-grants";
import { updateProfile } from "~db/queries/profiles";
import type { Profile } from "~db/schema";
import type { BillingState } from "./subscription-state";

type Access = Pick<Profile, "stripePriceId" | "stripeCurrentPeriodEnd">;

/** The price id of a complimentary membership while nothing is sold. */
const NO_PRICE = "complimentary";

/**
 * Writes what Stripe says of a user, in the transaction that has locked the profile. The only writer of the billing
 * columns: access lasts until the later end of subscription and grant.
 */
export async function writeBillingState(
  userId: string,
  state: BillingState,
  others: Partial<Omit<Profile, "id" | "updatedAt" | keyof BillingState>>,
  tx: Transaction,
): Promise<void> {
  const access = withGrant(state, await findGrantedUntil(userId, tx));
  await updateProfile(userId, { ...state, ...access, ...others }, tx);
}

/** Returns the access through a subscription or, if that lasts longer, through a complimentary membership. */
export function withGrant(paid: Access, grantedUntil: Date | null): Access {
  const { stripePriceId, stripeCurrentPeriodEnd: end } = paid;
  if (grantedUntil === null || (end !== null && end >= grantedUntil)) {
    return { stripePriceId, stripeCurrentPeriodEnd: end };
  }
  return {
    stripePriceId: stripePriceId ?? env().STRIPE?.priceId ?? NO_PRICE,
    stripeCurrentPeriodEnd: grantedUntil,
  };
}

/** Returns a row without the access that only a grant gives, to compare it with what was paid. */
export function withoutGrant(row: Profile, grantedUntil: Date | null): Profile {
  const isGranted = row.stripeCurrentPeriodEnd?.getTime() === grantedUntil?.getTime();
  return isGranted ? { ...row, stripePriceId: null, stripeCurrentPeriodEnd: null } : row;
}
