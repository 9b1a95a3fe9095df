import { inArray } from "drizzle-orm";
import { db } from "../client";
import { stripePrices, users, webhookEvents } from "../schema";

/** Which of these webhook events the ledger holds. */
export async function findProcessedEvents(ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db()
    .select({ id: webhookEvents.id })
    .from(webhookEvents)
    .where(inArray(webhookEvents.id, [...ids]));
  return new Set(rows.map(({ id }) => id));
}

/** The products of all prices that were ever on sale or paid. */
export async function findKnownProducts(): Promise<string[]> {
  const rows = await db().selectDistinct({ productId: stripePrices.productId }).from(stripePrices);
  return rows.map(({ productId }) => productId);
}

/** Which of these ids no account has. */
export async function findMissingUsers(ids: readonly string[]): Promise<Set<string>> {
  const missing = new Set(ids);
  if (missing.size === 0) return missing;
  const rows = await db()
    .select({ id: users.id })
    .from(users)
    .where(inArray(users.id, [...missing]));
  for (const { id } of rows) missing.delete(id);
  return missing;
}
