/**
 * Returns whether a profile gives access to the members' area: it has a price id, and its period end lies in the
 * future (specification, 4). `syncCustomer` stores the end of access as the period end.
 */
export function isSubscribed(
  profile: { stripePriceId: string | null; stripeCurrentPeriodEnd: Date | null } | null,
  now: Date,
): boolean {
  if (!profile?.stripePriceId || !profile.stripeCurrentPeriodEnd) return false;
  return profile.stripeCurrentPeriodEnd.getTime() > now.getTime();
}
