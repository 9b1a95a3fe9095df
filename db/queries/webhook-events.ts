import { desc, eq, inArray, lt, sql } from "drizzle-orm";
import { db, type Executor } from "../client";
import { webhookEvents } from "../schema";

/** An event as Stripe sent it; the database sets `receivedAt`. */
export type NewWebhookEvent = Omit<typeof webhookEvents.$inferSelect, "receivedAt">;

/**
 * Inserts an event into the ledger; false if its id is already there. A second delivery during the first one's
 * transaction waits for it here.
 */
export async function insertWebhookEvent(
  event: NewWebhookEvent,
  executor: Executor = db(),
): Promise<boolean> {
  const { count } = await executor.insert(webhookEvents).values(event).onConflictDoNothing();
  return count > 0;
}

/**
 * The state of an event: `known` if the ledger holds it; `recorded` if no profile has its customer, so that inserting
 * it was all there is to do; otherwise `pending`, with nothing written.
 */
export async function recordUnlessOwned(
  { id, type, apiVersion, stripeCustomerId, occurredAt }: NewWebhookEvent,
  executor: Executor = db(),
): Promise<"known" | "recorded" | "pending"> {
  // not looked up if just recorded: a plan made while the ledger was empty would read all of it
  const [row] = await executor.execute<Record<"isRecorded" | "isOwned" | "isKnown", boolean>>(sql`
    with owner as (
      select 1 from profiles where stripe_customer_id = ${stripeCustomerId}
    ), recorded as (
      insert into webhook_events (id, type, api_version, stripe_customer_id, occurred_at)
      select ${id}, ${type}, ${apiVersion}, ${stripeCustomerId}, ${occurredAt.toISOString()}::timestamptz
      where not exists (select from owner)
      on conflict do nothing returning 1
    )
    select exists (select from recorded) as "isRecorded", exists (select from owner) as "isOwned",
      case when exists (select from recorded) then true
        else exists (select from webhook_events where id = ${id}) end as "isKnown"`);
  if (row?.isRecorded) return "recorded";
  // an event that is neither was inserted by another process meanwhile
  return row?.isOwned && !row.isKnown ? "pending" : "known";
}

/** Whether the ledger holds an event. */
export async function hasWebhookEvent(id: string): Promise<boolean> {
  const found = await db()
    .select({ id: webhookEvents.id })
    .from(webhookEvents)
    .where(eq(webhookEvents.id, id));
  return found.length > 0;
}

/** The events processed last, newest first. */
export async function findLastWebhookEvents(
  limit: number,
): Promise<(typeof webhookEvents.$inferSelect)[]> {
  return db().select().from(webhookEvents).orderBy(desc(webhookEvents.receivedAt)).limit(limit);
}

/** Deletes the oldest events received before `before`, at most `limit`; returns their number. */
export async function deleteOldWebhookEvents(before: Date, limit: number): Promise<number> {
  const executor = db();
  const oldest = executor
    .select({ id: webhookEvents.id })
    .from(webhookEvents)
    .where(lt(webhookEvents.receivedAt, before))
    .orderBy(webhookEvents.receivedAt)
    .limit(limit);
  const { count } = await executor.delete(webhookEvents).where(inArray(webhookEvents.id, oldest));
  return count;
}
