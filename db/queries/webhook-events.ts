import { desc, eq, inArray, lt } from "drizzle-orm";
import { type Executor, getDatabase } from "../client";
import { webhookEvents } from "../schema";

/**
 * Inserts an event into the ledger; false if its id is already there. A second delivery during the first one's
 * transaction waits for it here.
 */
export async function insertWebhookEvent(
  event: typeof webhookEvents.$inferInsert,
  executor: Executor = getDatabase().db,
): Promise<boolean> {
  const inserted = await executor
    .insert(webhookEvents)
    .values(event)
    .onConflictDoNothing()
    .returning({ id: webhookEvents.id });
  return inserted.length > 0;
}

/** Whether the ledger holds an event. */
export async function hasWebhookEvent(
  id: string,
  executor: Executor = getDatabase().db,
): Promise<boolean> {
  const found = await executor
    .select({ id: webhookEvents.id })
    .from(webhookEvents)
    .where(eq(webhookEvents.id, id));
  return found.length > 0;
}

/** The events processed last, newest first. */
export async function findLastWebhookEvents(
  limit: number,
  executor: Executor = getDatabase().db,
): Promise<(typeof webhookEvents.$inferSelect)[]> {
  return executor.select().from(webhookEvents).orderBy(desc(webhookEvents.receivedAt)).limit(limit);
}

/** Deletes the oldest events received before `before`, at most `limit`; returns their number. */
export async function deleteOldWebhookEvents(
  before: Date,
  limit: number,
  executor: Executor = getDatabase().db,
): Promise<number> {
  const oldest = executor
    .select({ id: webhookEvents.id })
    .from(webhookEvents)
    .where(lt(webhookEvents.receivedAt, before))
    .orderBy(webhookEvents.receivedAt)
    .limit(limit);
  const gone = await executor
    .delete(webhookEvents)
    .where(inArray(webhookEvents.id, oldest))
    .returning({ id: webhookEvents.id });
  return gone.length;
}
