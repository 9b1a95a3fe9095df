import { eq, sql } from "drizzle-orm";
import type { Transaction } from "../client";
import { memberships } from "../schema";

/** A membership that was paid for, as Stripe has it. */
export type PaidMembership = {
  stripeSubscriptionId: string;
  startedAt: Date;
  /** Null while it goes on. */
  endedAt: Date | null;
  /** In Stripe's minor unit of the currency. */
  monthlyAmount: number;
  currency: string;
  /** Why it was canceled, in Stripe's word; null if nobody said. */
  reason: string | null;
};

/**
 * Records all the memberships that a user has ever paid for, in the transaction that has locked the user's profile.
 * One that is recorded and no longer among them, as after a change of the Stripe account, ended at `at`. In one
 * statement, since every sync does it.
 */
export async function recordMemberships(
  userId: string,
  paid: readonly PaidMembership[],
  at: Date,
  tx: Transaction,
): Promise<void> {
  await tx.execute(sql`
    with given as (
      select * from json_to_recordset(${JSON.stringify(paid)}::json) given ("stripeSubscriptionId" text,
        "startedAt" timestamptz, "endedAt" timestamptz, "monthlyAmount" int, "currency" text, "reason" text)
    ), who as materialized (
      select coalesce(
        (select person from ${memberships} where user_id = ${userId} limit 1), gen_random_uuid()) as person
    ), gone as (
      update ${memberships} set ended_at = ${at.toISOString()}::timestamptz
      where user_id = ${userId} and ended_at is null
        and stripe_subscription_id not in (select "stripeSubscriptionId" from given)
    )
    insert into ${memberships} as known
      (stripe_subscription_id, user_id, person, started_at, ended_at, monthly_amount, currency, reason)
    select "stripeSubscriptionId", ${userId}::uuid, person, "startedAt", "endedAt", "monthlyAmount", currency, reason
    from given cross join who
    on conflict (stripe_subscription_id) do update
      set user_id = excluded.user_id, person = excluded.person, started_at = excluded.started_at,
        ended_at = excluded.ended_at, monthly_amount = excluded.monthly_amount, currency = excluded.currency,
        reason = excluded.reason
      where (known.user_id, known.started_at, known.ended_at, known.monthly_amount, known.currency, known.reason)
        is distinct from
        (excluded.user_id, excluded.started_at, excluded.ended_at, excluded.monthly_amount, excluded.currency, excluded.reason)`);
}

/** Ends the memberships of an account that is being deleted, and removes their references to Stripe. */
export async function forgetMemberships(userId: string, tx: Transaction): Promise<void> {
  await tx
    .update(memberships)
    .set({
      stripeSubscriptionId: null,
      userId: null,
      endedAt: sql`coalesce(${memberships.endedAt}, now())`,
    })
    .where(eq(memberships.userId, userId));
}
