import { and, asc, eq, gt, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import { type Executor, getDatabase } from "../client";
import { type Profile, profiles } from "../schema";

export async function findProfile(
  userId: string,
  executor: Executor = getDatabase().db,
): Promise<Profile | null> {
  const [profile] = await executor.select().from(profiles).where(eq(profiles.id, userId)).limit(1);
  return profile ?? null;
}

/** The profile of a user, made if it is missing, locked until the caller's transaction ends. */
export async function lockProfile(userId: string, tx: Executor): Promise<Profile> {
  await tx.insert(profiles).values({ id: userId }).onConflictDoNothing();
  const [profile] = await tx.select().from(profiles).where(eq(profiles.id, userId)).for("update");
  if (!profile) throw new Error(`There is no profile for user ${userId}.`);
  return profile;
}

/** The profile of a Stripe customer, locked until the caller's transaction ends; null if none has it. */
export async function lockProfileByCustomer(
  stripeCustomerId: string,
  tx: Executor,
): Promise<Profile | null> {
  const [profile] = await tx
    .select()
    .from(profiles)
    .where(eq(profiles.stripeCustomerId, stripeCustomerId))
    .for("update");
  return profile ?? null;
}

export async function updateProfile(
  userId: string,
  values: Partial<Omit<Profile, "id" | "updatedAt">>,
  executor: Executor = getDatabase().db,
): Promise<void> {
  await executor
    .update(profiles)
    .set({ ...values, updatedAt: new Date() })
    .where(eq(profiles.id, userId));
}

/**
 * Stripe customers whose rows may have missed an event: at or near their period's end, past due, or
 * with a checkout opened within the day, and not synced since `notSyncedSince`. Longest waiting first.
 */
export async function findCustomersToReconcile(
  times: { notSyncedSince: Date; periodEndBefore: Date; checkoutOpenedAfter: Date },
  limit: number,
  executor: Executor = getDatabase().db,
): Promise<string[]> {
  const rows = await executor
    .select({ stripeCustomerId: profiles.stripeCustomerId })
    .from(profiles)
    .where(
      and(
        isNotNull(profiles.stripeCustomerId),
        or(isNull(profiles.syncedAt), lt(profiles.syncedAt, times.notSyncedSince)),
        or(
          and(
            isNotNull(profiles.stripePriceId),
            lt(profiles.stripeCurrentPeriodEnd, times.periodEndBefore),
          ),
          eq(profiles.stripeSubscriptionStatus, "past_due"),
          gt(profiles.checkoutOpenedAt, times.checkoutOpenedAfter),
        ),
      ),
    )
    .orderBy(sql`${profiles.syncedAt} asc nulls first`)
    .limit(limit);
  return rows.flatMap(({ stripeCustomerId }) => stripeCustomerId ?? []);
}

/** A page of all profiles that have a Stripe customer, in the order of their ids, after `afterId`. */
export async function findBilledProfiles(
  afterId: string | null,
  limit: number,
  executor: Executor = getDatabase().db,
): Promise<Profile[]> {
  return executor
    .select()
    .from(profiles)
    .where(
      and(isNotNull(profiles.stripeCustomerId), afterId ? gt(profiles.id, afterId) : undefined),
    )
    .orderBy(asc(profiles.id))
    .limit(limit);
}
