import { eq } from "drizzle-orm";
import { db, type Executor } from "../client";
import { debitsAfterDeletion as debits } from "../schema";

/** Records bank debits of a customer that is about to be deleted. */
export async function insertDebitsAfterDeletion(
  rows: readonly { stripeChargeId: string; stripeCustomerId: string }[],
): Promise<void> {
  if (rows.length === 0) return;
  await db()
    .insert(debits)
    .values([...rows])
    .onConflictDoNothing();
}

/** The recorded debits, of one customer if it is given. */
export async function findDebitsAfterDeletion(
  stripeCustomerId?: string,
): Promise<(typeof debits.$inferSelect)[]> {
  const own = stripeCustomerId ? eq(debits.stripeCustomerId, stripeCustomerId) : undefined;
  return db().select().from(debits).where(own);
}

/** Deletes a recorded debit; false if another process just did. */
export async function deleteDebitAfterDeletion(
  stripeChargeId: string,
  executor: Executor = db(),
): Promise<boolean> {
  const { count } = await executor.delete(debits).where(eq(debits.stripeChargeId, stripeChargeId));
  return count > 0;
}
