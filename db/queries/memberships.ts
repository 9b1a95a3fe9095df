import { randomUUID } from "node:crypto";
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
};

/**
 * Records all the memberships that a user has ever paid for, in the transaction that has locked the user's profile.
 * One that is recorded and no longer among them, as after a change of the Stripe account, ended at `at`.
 */
export async function recordMemberships(
  userId: string,
  paid: readonly PaidMembership[],
  at: Date,
  tx: Transaction,
): Promise<void> {
  const known = await tx.select().from(memberships).where(eq(memberships.userId, userId));
  const person = known[0]?.person ?? randomUUID();
  const isKnown = (one: PaidMembership) =>
    known.some(
      (row) =>
        row.stripeSubscriptionId === one.stripeSubscriptionId &&
        row.startedAt.getTime() === one.startedAt.getTime() &&
        row.endedAt?.getTime() === one.endedAt?.getTime() &&
        row.monthlyAmount === one.monthlyAmount &&
        row.currency === one.currency,
    );
  const changed = paid.filter((one) => !isKnown(one));
  if (changed.length > 0) {
    await tx
      .insert(memberships)
      .values(changed.map((one) => ({ ...one, userId, person })))
      .onConflictDoUpdate({
        target: memberships.stripeSubscriptionId,
        set: {
          userId,
          person,
          startedAt: sql`excluded.started_at`,
          endedAt: sql`excluded.ended_at`,
          monthlyAmount: sql`excluded.monthly_amount`,
          currency: sql`excluded.currency`,
        },
      });
  }
  const ids = new Set(paid.map(({ stripeSubscriptionId }) => stripeSubscriptionId));
  for (const { id, stripeSubscriptionId, endedAt } of known) {
    if (endedAt !== null || ids.has(stripeSubscriptionId ?? "")) continue;
    await tx.update(memberships).set({ endedAt: at }).where(eq(memberships.id, id));
  }
}

/** Ends the memberships of an account that is being deleted, and removes what leads from them to Stripe. */
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
