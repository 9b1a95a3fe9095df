import { asc, eq, sql } from "drizzle-orm";
import { addressHash } from "../address-hash";
import { db, type Transaction } from "../client";
import { isNotSince } from "../clock";
import { accountDeletions, mails, profiles, users } from "../schema";
import { forgetMemberships } from "./memberships";
import { unsubscribeByEmail } from "./subscribers";

/** Records that the deletion of an account has begun; false if there is no such account. */
export async function beginAccountDeletion(userId: string): Promise<boolean> {
  const rows = await db().execute(sql`
    insert into ${accountDeletions} (user_id)
    select id from ${users} where id = ${userId}
    on conflict (user_id) do update set started_at = now()
    returning user_id`);
  return rows.length > 0;
}

/** Records that an account is not deleted after all. */
export async function abandonAccountDeletion(userId: string): Promise<void> {
  await db().delete(accountDeletions).where(eq(accountDeletions.userId, userId));
}

/** Whether an account's deletion has begun. */
export async function isDeletionPending(userId: string, tx: Transaction): Promise<boolean> {
  return (await tx.$count(accountDeletions, eq(accountDeletions.userId, userId))) > 0;
}

/** Deletions that began before `before` and have not ended, the oldest first. */
export async function findUnfinishedDeletions(
  before: Date,
  limit: number,
): Promise<{ userId: string; startedAt: Date; stripeCustomerId: string | null }[]> {
  return db()
    .select({
      userId: accountDeletions.userId,
      startedAt: accountDeletions.startedAt,
      stripeCustomerId: profiles.stripeCustomerId,
    })
    .from(accountDeletions)
    .leftJoin(profiles, eq(profiles.id, accountDeletions.userId))
    .where(isNotSince(accountDeletions.startedAt, before))
    .orderBy(asc(accountDeletions.startedAt))
    .limit(limit);
}

/**
 * The address and the Stripe customer of an account, both locked until the caller's transaction ends; null if there
 * is no such account.
 */
export async function lockAccount(
  userId: string,
  tx: Transaction,
): Promise<{ email: string; stripeCustomerId: string | null } | null> {
  const [user] = await tx
    .select({ email: users.email })
    .from(users)
    .where(eq(users.id, userId))
    .for("update");
  if (!user) return null;
  const [profile] = await tx
    .select({ stripeCustomerId: profiles.stripeCustomerId })
    .from(profiles)
    .where(eq(profiles.id, userId))
    .for("update");
  return { ...user, stripeCustomerId: profile?.stripeCustomerId ?? null };
}

/**
 * Deletes an account with all its rows, unsubscribes its address, and deletes the contents of mails to the address;
 * queued ones are canceled. The remaining rows of mails and suppressions hold only the address's hash.
 */
export async function deleteAccountRows(
  { userId, email }: { userId: string; email: string },
  tx: Transaction,
): Promise<void> {
  await unsubscribeByEmail(email, tx);
  await tx.execute(sql`
    update ${mails}
    set state = case when state = 'queued' then 'cancelled' else state end,
      finished_at = coalesce(finished_at, now()), recipient = null, message = null
    where address_hash = ${addressHash(email)} and campaign_id is null
      and (state = 'queued' or (state = 'failed' and recipient is not null))`);
  await forgetMemberships(userId, tx);
  await tx.delete(users).where(eq(users.id, userId));
}
