/**
 * Whether a profile gives access to the members' area: it has a price id, and the period end lies in the
 * future (specification, 4). The period end is the end of access that `syncCustomer` wrote.
 */
export function isSubscribed(
  profile: { stripePriceId: string | null; stripeCurrentPeriodEnd: Date | null } | null,
  now: Date,
): boolean {
  if (!profile?.stripePriceId || !profile.stripeCurrentPeriodEnd) return false;
  return profile.stripeCurrentPeriodEnd.getTime() > now.getTime();
}
