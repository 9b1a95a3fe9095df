import { and, eq, isNull, lt, sql } from "drizzle-orm";
import { addressHash } from "../address-hash";
import { db, type Executor, firstRow } from "../client";
import { type Mail, mails, type RenderedMail } from "../schema";

/** A transactional mail to be queued; it expires `lifetimeMs` from now. */
export type NewMail = {
  kind: string;
  priority: number;
  recipient: string;
  lifetimeMs: number;
  /** Null if a worker has yet to compose it. */
  message: RenderedMail | null;
  leadsTo?: string | null;
  idempotencyKey: string | null;
};

/** Queues mails, except those whose idempotency key there is already; returns the number of queued ones. */
export async function insertMails(rows: readonly NewMail[], executor: Executor): Promise<number> {
  const { count } = await executor
    .insert(mails)
    .values(
      rows.map(({ lifetimeMs, ...mail }) => ({
        ...mail,
        addressHash: addressHash(mail.recipient),
        expiresAt: sql`now() + ${lifetimeMs} * interval '1 millisecond'`,
      })),
    )
    .onConflictDoNothing();
  return count;
}

/** Whether more than `most` transactional mails wait to be sent, besides those to many; reads no more than that. */
export async function areMoreMailsQueued(most: number, executor: Executor): Promise<boolean> {
  const further = await executor
    .select({ id: mails.id })
    .from(mails)
    .where(and(eq(mails.state, "queued"), isNull(mails.campaignId), lt(mails.priority, 2)))
    .offset(most)
    .limit(1);
  return further.length > 0;
}

/** The state of the mail with an idempotency key, and the last answer to it. */
export async function findMailByIdempotencyKey(
  key: string,
): Promise<Pick<Mail, "state" | "finishedAt" | "lastReply"> | null> {
  return firstRow(
    db()
      .select({ state: mails.state, finishedAt: mails.finishedAt, lastReply: mails.lastReply })
      .from(mails)
      .where(eq(mails.idempotencyKey, key)),
  );
}
