import { asc, eq } from "drizzle-orm";
import { type Executor, getDatabase } from "../client";
import { debitsAfterDeletion, profiles } from "../schema";

export type DebitAfterDeletion = typeof debitsAfterDeletion.$inferSelect;

/** Records bank debits of a customer that is about to be deleted. */
export async function insertDebitsAfterDeletion(
  stripeCustomerId: string,
  stripeChargeIds: readonly string[],
): Promise<void> {
  if (stripeChargeIds.length === 0) return;
  await getDatabase()
    .db.insert(debitsAfterDeletion)
    .values(stripeChargeIds.map((stripeChargeId) => ({ stripeChargeId, stripeCustomerId })))
    .onConflictDoNothing();
}

/** Whether debits of a customer were on their way when it was about to be deleted. */
export async function hasDebitsAfterDeletion(stripeCustomerId: string): Promise<boolean> {
  const { stripeCustomerId: customer } = debitsAfterDeletion;
  return (await getDatabase().db.$count(debitsAfterDeletion, eq(customer, stripeCustomerId))) > 0;
}

/** All recorded debits, the oldest first, with the account that still has their customer; null if it is deleted. */
export async function findDebitsAfterDeletion(): Promise<
  (DebitAfterDeletion & { userId: string | null })[]
> {
  const rows = await getDatabase()
    .db.select({ debit: debitsAfterDeletion, userId: profiles.id })
    .from(debitsAfterDeletion)
    .leftJoin(profiles, eq(profiles.stripeCustomerId, debitsAfterDeletion.stripeCustomerId))
    .orderBy(asc(debitsAfterDeletion.createdAt));
  return rows.map(({ debit, userId }) => ({ ...debit, userId }));
}

/** Deletes a recorded debit; false if another process just did. */
export async function deleteDebitAfterDeletion(
  stripeChargeId: string,
  executor: Executor = getDatabase().db,
): Promise<boolean> {
  const { count } = await executor
    .delete(debitsAfterDeletion)
    .where(eq(debitsAfterDeletion.stripeChargeId, stripeChargeId));
  return count > 0;
}
