import {
  and,
  asc,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  not,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { db, type Executor, firstRow } from "../client";
import { billingSyncNumbers, type Profile, profiles, users } from "../schema";

export async function findProfile(
  userId: string,
  executor: Executor = db(),
): Promise<Profile | null> {
  return firstRow(executor.select().from(profiles).where(eq(profiles.id, userId)).limit(1));
}

/** The profile of a user, created if missing. */
export async function ensureProfile(userId: string): Promise<Profile> {
  const known = await findProfile(userId, db());
  if (known) return known;
  await db().insert(profiles).values({ id: userId }).onConflictDoNothing();
  const made = await findProfile(userId, db());
  if (!made) throw new Error(`There is no profile for user ${userId}.`);
  return made;
}

export async function findProfileByCustomer(stripeCustomerId: string): Promise<Profile | null> {
  return firstRow(
    db().select().from(profiles).where(eq(profiles.stripeCustomerId, stripeCustomerId)).limit(1),
  );
}

/** The profile of a Stripe customer, locked until the caller's transaction ends; null if none has it. */
export async function lockProfileByCustomer(
  stripeCustomerId: string,
  tx: Executor,
): Promise<Profile | null> {
  return firstRow(
    tx.select().from(profiles).where(eq(profiles.stripeCustomerId, stripeCustomerId)).for("update"),
  );
}

/** A user's profile, locked until the caller's transaction ends; null if there is none. */
export async function lockProfile(userId: string, tx: Executor): Promise<Profile | null> {
  return firstRow(tx.select().from(profiles).where(eq(profiles.id, userId)).for("update"));
}

export async function updateProfile(
  userId: string,
  values: Partial<Omit<Profile, "id" | "updatedAt">>,
  executor: Executor = db(),
): Promise<void> {
  await executor
    .update(profiles)
    .set({ ...values, updatedAt: new Date() })
    .where(eq(profiles.id, userId));
}

/**
 * Sets a user's Stripe customer if the row still has the customer `seen` (null for none). False, with nothing
 * written, if the row has changed or another user has the customer.
 */
export async function replaceCustomer(
  userId: string,
  seen: string | null,
  stripeCustomerId: string,
): Promise<boolean> {
  const now = new Date();
  const { count } = await db()
    .update(profiles)
    .set({ stripeCustomerId, stripeCheckoutSessionId: null, syncDueAt: now, updatedAt: now })
    .where(
      and(
        eq(profiles.id, userId),
        seen === null ? isNull(profiles.stripeCustomerId) : eq(profiles.stripeCustomerId, seen),
        sql`not exists (select from profiles other where other.stripe_customer_id = ${stripeCustomerId})`,
      ),
    );
  return count > 0;
}

/** Records that Stripe was told this address, unless the account has another by now. */
export async function clearEmailDue(userId: string, email: string): Promise<void> {
  await db()
    .update(profiles)
    .set({ isEmailDueAtStripe: false })
    .where(
      and(
        eq(profiles.id, userId),
        sql`exists (select from ${users} where ${users.id} = ${userId} and ${users.email} = ${email})`,
      ),
    );
}

/** Increments a user's checkout failures from `seen`, so that concurrent callers that saw the same number count once. */
export async function countCheckoutFailure(userId: string, seen: number): Promise<void> {
  await db()
    .update(profiles)
    .set({ checkoutFailures: seen + 1, updatedAt: new Date() })
    .where(and(eq(profiles.id, userId), eq(profiles.checkoutFailures, seen)));
}

/** The number of the next snapshot of Stripe: higher than any drawn before. */
export async function nextSyncNumber(): Promise<number> {
  const [row] = await db().execute<{ number: string }>(
    sql`select nextval(${billingSyncNumbers.seqName ?? ""}) as number`,
  );
  return Number(row?.number);
}

/** A page of the Stripe customers whose rows are due for a sync, in the order of the users' ids, after `afterId`. */
export async function findCustomersDue(
  now: Date,
  afterId: string | null,
  limit: number,
): Promise<BilledProfile[]> {
  return db()
    .select({ id: profiles.id, stripeCustomerId: sql<string>`${profiles.stripeCustomerId}` })
    .from(profiles)
    .where(and(isBilledAfter(afterId), lte(profiles.syncDueAt, now)))
    .orderBy(asc(profiles.id))
    .limit(limit);
}

/**
 * Extends access that ends within an hour, or has ended since `since`, by a day: of memberships that renewed when Stripe
 * was last asked, and never beyond the day of a cancellation. Returns their number.
 */
export async function extendRenewingAccess(since: Date, now: Date): Promise<number> {
  const { stripeCurrentPeriodEnd: end } = profiles;
  const { count } = await db()
    .update(profiles)
    .set({
      stripeCurrentPeriodEnd: sql`least(greatest(${end}, ${now.toISOString()}::timestamptz) + interval '1 day', ${profiles.stripeCancelAt})`,
      updatedAt: now,
    })
    .where(
      and(
        isNotNull(profiles.stripePriceId),
        inArray(profiles.stripeSubscriptionStatus, ["active", "trialing"]),
        or(eq(profiles.stripeCancelAtPeriodEnd, false), gt(profiles.stripeCancelAt, end)),
        gte(end, since),
        lte(end, new Date(now.getTime() + 60 * 60_000)),
        lt(profiles.syncedAt, end),
      ),
    );
  return count;
}

/** Makes customers due for a sync. */
export async function makeCustomersDue(stripeCustomerIds: string[], now: Date): Promise<void> {
  if (stripeCustomerIds.length === 0) return;
  await db()
    .update(profiles)
    .set({ syncDueAt: now })
    .where(inArray(profiles.stripeCustomerId, stripeCustomerIds));
}

function isBilledAfter(afterId: string | null): SQL | undefined {
  return and(isNotNull(profiles.stripeCustomerId), afterId ? gt(profiles.id, afterId) : undefined);
}

/** A user with a Stripe customer. */
export type BilledProfile = { id: string; stripeCustomerId: string };

/** A page of all profiles that have a Stripe customer, in the order of their ids, after `afterId`. */
export async function findBilledProfiles(
  afterId: string | null,
  limit: number,
): Promise<Profile[]> {
  return db()
    .select()
    .from(profiles)
    .where(isBilledAfter(afterId))
    .orderBy(asc(profiles.id))
    .limit(limit);
}

/** How many profiles have a Stripe customer, after `afterId` in the order of their ids. */
export async function countBilledProfiles(afterId: string | null): Promise<number> {
  return db().$count(profiles, isBilledAfter(afterId));
}

/** Users whose access has ended since `since`, by time or revoked, at most `limit` of them. */
export async function findUsersWithEndedAccess(
  since: Date,
  limit: number,
): Promise<{ id: string; email: string }[]> {
  return db()
    .select({ id: users.id, email: users.email })
    .from(profiles)
    .innerJoin(users, eq(users.id, profiles.id))
    .where(
      and(
        or(isNotNull(profiles.stripeSubscriptionId), isNotNull(profiles.stripeCurrentPeriodEnd)),
        not(givesAccess()),
        or(gte(profiles.stripeCurrentPeriodEnd, since), gte(profiles.updatedAt, since)),
      ),
    )
    .limit(limit);
}

/**
 * Whether a row of `profiles` gives access, by the database's clock: the rule of `isSubscribed` in
 * `app/features/membership/access.ts`, to which a test holds it.
 */
export function givesAccess(): SQL<boolean> {
  return sql<boolean>`(coalesce(${profiles.stripePriceId}, '') <> '' and coalesce(${profiles.stripeCurrentPeriodEnd} > now(), false))`;
}

/** How many accounts have access that the operator has granted and nobody pays for. */
export async function countComplimentary(executor: Executor = db()): Promise<number> {
  return executor.$count(profiles, and(givesAccess(), isUnpaid()));
}

/**
 * Whether no subscription gives the access of a row of `profiles`, which then is complimentary: the rule of
 * `isComplimentary` in `app/features/membership/membership-state.ts`.
 */
export function isUnpaid(): SQL<boolean> {
  return sql<boolean>`not coalesce(${profiles.accessRevoked} is null
    and ${profiles.stripeSubscriptionStatus} in ('active', 'trialing', 'past_due'), false)`;
}
