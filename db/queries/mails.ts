import { and, isNull, sql } from "drizzle-orm";
import { addressHash } from "../address-hash";
import { type Executor, getDatabase } from "../client";
import { mails, type RenderedMail } from "../schema";

/** A transactional mail to be queued; it expires `lifetimeMs` from now. */
export type NewMail = {
  kind: string;
  priority: number;
  recipient: string;
  lifetimeMs: number;
};

/** Queues a rendered mail and returns its id; null, with nothing written, if there is one with its idempotency key. */
export async function insertMail(
  mail: NewMail & { message: RenderedMail; idempotencyKey: string | null },
  executor: Executor = getDatabase().db,
): Promise<string | null> {
  const { lifetimeMs, ...values } = mail;
  const [inserted] = await executor
    .insert(mails)
    .values({
      ...values,
      addressHash: addressHash(mail.recipient),
      expiresAt: sql`now() + ${lifetimeMs} * interval '1 millisecond'`,
    })
    .onConflictDoNothing()
    .returning({ id: mails.id });
  return inserted?.id ?? null;
}

/**
 * Queues a mail that a worker has yet to compose, and returns its id; null, with nothing written, if more than
 * `most` transactional mails are queued.
 */
export async function insertUncomposedMail(
  { kind, priority, recipient, lifetimeMs }: NewMail,
  most: number,
  executor: Executor = getDatabase().db,
): Promise<string | null> {
  const queued = executor
    .select({ one: sql`1` })
    .from(mails)
    .where(and(sql`${mails.state} = 'queued'`, isNull(mails.campaignId)))
    .limit(most + 1);
  const [inserted] = await executor.execute<{ id: string }>(sql`
    insert into ${mails} (kind, priority, recipient, address_hash, expires_at)
    select ${kind}, ${priority}::smallint, ${recipient}, ${addressHash(recipient)},
      now() + ${lifetimeMs} * interval '1 millisecond'
    where (select count(*) from (${queued}) queued) <= ${most}
    returning id`);
  return inserted?.id ?? null;
}
