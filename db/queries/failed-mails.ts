import { sql } from "drizzle-orm";
import { db } from "../client";
import { mails } from "../schema";

/** Transactional mails of one kind that failed with the same codes. */
export type FailedMails = {
  kind: string;
  /** The mail server's last answer as codes; null if there was none. */
  reply: string | null;
  count: number;
  /** How many of them `retryFailedMails` would queue. */
  retryable: number;
};

const isRetryable = sql`state = 'failed' and campaign_id is null and recipient is not null and expires_at > now()`;

/** Transactional mails that failed within the last `days`, by kind and reply, the most frequent first. */
export async function findFailedMails(days: number): Promise<FailedMails[]> {
  return db().execute<FailedMails>(sql`
    select kind, last_reply as reply, count(*)::int as count,
      (count(*) filter (where ${isRetryable}))::int as retryable
    from ${mails}
    where state = 'failed' and campaign_id is null
      and finished_at > now() - ${days} * interval '1 day'
    group by 1, 2 order by 3 desc, 1, 2`);
}

/**
 * Queues failed transactional mails again that have not expired, all or those of one kind, as if they had never been
 * tried; returns how many of each kind. Their Message-IDs stay.
 */
export async function retryFailedMails(
  kind: string | null,
): Promise<{ kind: string; count: number }[]> {
  return db().execute<{ kind: string; count: number }>(sql`
    with retried as (
      update ${mails} set state = 'queued', finished_at = null, worker_id = null, due_at = now(), attempts = 0
      where ${isRetryable} and (${kind}::text is null or kind = ${kind})
      returning kind
    )
    select kind, count(*)::int as count from retried group by 1 order by 1`);
}

/** Deletes the addresses and contents of failed mails that have expired. */
export async function deleteFailedContent(): Promise<void> {
  await db().execute(sql`
    update ${mails} set recipient = null, message = null
    where state = 'failed' and campaign_id is null and recipient is not null and expires_at <= now()`);
}
