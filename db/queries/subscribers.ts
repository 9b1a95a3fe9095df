import { and, eq, gt, isNull, lt, or, sql } from "drizzle-orm";
import { db, type Executor, firstRow } from "../client";
import { isNotSince } from "../clock";
import { type Subscriber, subscribers } from "../schema";
import { unsubscribeWhere } from "./suppressed-addresses";

/** An address, and the token of its unsubscribe links, which is the same whenever it subscribes. */
export type NewSubscriber = { email: string; unsubscribeToken: string };

/**
 * Adds an address as confirmed; false, with nothing written, if it is already confirmed, whatever its case. An
 * unconfirmed one becomes confirmed.
 */
export async function insertSubscriber(
  { email, unsubscribeToken }: NewSubscriber,
  now: Date,
  executor: Executor,
): Promise<boolean> {
  const inserted = await executor
    .insert(subscribers)
    .values({ email, unsubscribeToken, confirmedAt: now })
    .onConflictDoNothing();
  if (inserted.count > 0) return true;
  const { count } = await executor
    .update(subscribers)
    .set({ unsubscribeToken, confirmedAt: now })
    .where(and(hasEmail(email), isNull(subscribers.confirmedAt)));
  return count > 0;
}

/**
 * Adds an unconfirmed address, and returns its id if a confirmation mail is due, else null. A mail is due for a new
 * address, or an unconfirmed one last asked before `askAgainAfter`.
 */
export async function insertUnconfirmedSubscriber(
  { email, unsubscribeToken }: NewSubscriber,
  { now, askAgainAfter }: { now: Date; askAgainAfter: Date },
  executor: Executor,
): Promise<string | null> {
  const [inserted] = await executor
    .insert(subscribers)
    .values({ email, unsubscribeToken, confirmationSentAt: now })
    .onConflictDoNothing()
    .returning({ id: subscribers.id });
  if (inserted) return inserted.id;
  const [asked] = await executor
    .update(subscribers)
    .set({ unsubscribeToken, confirmationSentAt: now })
    .where(
      and(
        hasEmail(email),
        isNull(subscribers.confirmedAt),
        or(
          isNull(subscribers.confirmationSentAt),
          isNotSince(subscribers.confirmationSentAt, askAgainAfter, now),
        ),
      ),
    )
    .returning({ id: subscribers.id });
  return asked?.id ?? null;
}

/** The subscriber with an address, whatever its case; null if it is not on the list. */
export async function findSubscriberByEmail(email: string): Promise<Subscriber | null> {
  return firstRow(db().select().from(subscribers).where(hasEmail(email)).limit(1));
}

/** Confirms an address as of `now`, unless it is already confirmed; null if it is not on the list. */
export async function confirmSubscriber(
  id: string,
  now: Date,
  executor: Executor,
): Promise<Pick<Subscriber, "email" | "unsubscribeToken"> | null> {
  return firstRow(
    executor
      .update(subscribers)
      .set({
        confirmedAt: sql`coalesce(${subscribers.confirmedAt}, ${now.toISOString()}::timestamptz)`,
      })
      .where(eq(subscribers.id, id))
      .returning({ email: subscribers.email, unsubscribeToken: subscribers.unsubscribeToken }),
  );
}

/** Unsubscribes the address of a row, and returns the row's id; null if it is not on the list. */
export function unsubscribeById(id: string): Promise<string | null> {
  return unsubscribeWhere(eq(subscribers.id, id));
}

/** Unsubscribes the address of an unsubscribe token, and returns its id; null if it is not on the list. */
export function unsubscribeByToken(unsubscribeToken: string): Promise<string | null> {
  return unsubscribeWhere(eq(subscribers.unsubscribeToken, unsubscribeToken));
}

/** Unsubscribes an address, whatever its case, and returns its id; null if it is not on the list. */
export function unsubscribeByEmail(email: string, executor?: Executor): Promise<string | null> {
  return unsubscribeWhere(hasEmail(email), executor);
}

/** Subscribers without an unsubscribe token, by id, of those after `afterId`. */
export async function findSubscribersWithoutToken(
  { afterId, limit }: { afterId: string | null; limit: number },
  executor: Executor,
): Promise<Pick<Subscriber, "id" | "email">[]> {
  return executor
    .select({ id: subscribers.id, email: subscribers.email })
    .from(subscribers)
    .where(
      and(
        isNull(subscribers.unsubscribeToken),
        afterId === null ? undefined : gt(subscribers.id, afterId),
      ),
    )
    .orderBy(subscribers.id)
    .limit(limit);
}

/** Sets the unsubscribe tokens of subscribers. */
export async function setUnsubscribeTokens(
  tokens: { id: string; token: string }[],
  executor: Executor,
): Promise<void> {
  await executor.execute(sql`
    update ${subscribers} set unsubscribe_token = given.token
    from json_to_recordset(${JSON.stringify(tokens)}::json) given (id uuid, token text)
    where ${subscribers.id} = given.id`);
}

/** Deletes unconfirmed addresses added before `before`; returns their number. */
export async function deleteUnconfirmedSubscribers(before: Date): Promise<number> {
  const { count } = await db()
    .delete(subscribers)
    .where(and(isNull(subscribers.confirmedAt), lt(subscribers.createdAt, before)));
  return count;
}

function hasEmail(email: string) {
  return eq(sql`lower(${subscribers.email})`, email.toLowerCase());
}
