import { sql } from "drizzle-orm";
import { db } from "../client";
import { isWithinSeconds } from "../clock";
import { mails, mailWorkers } from "../schema";

/** Unsent mails by lane, and the longest time that a due transactional one has waited. */
export type QueueLength = {
  transactional: number;
  campaign: number;
  /** Seconds; 0 if none is due. */
  longestWaitS: number;
};

export async function readQueueLength(): Promise<QueueLength> {
  const [row] = await db().execute<QueueLength>(sql`
    select
      (select count(*)::int from ${mails} where state = 'queued' and campaign_id is null) as transactional,
      (select count(*)::int from ${mails} where state = 'queued' and campaign_id is not null) as campaign,
      (select coalesce(greatest(0, extract(epoch from now() - min(due_at))), 0)::float8 from ${mails}
       where state = 'queued' and campaign_id is null) as "longestWaitS"`);
  return row ?? { transactional: 0, campaign: 0, longestWaitS: 0 };
}

/** The transactional mails that are queued or being sent, by kind. */
export async function countWaitingMails(): Promise<{ kind: string; count: number }[]> {
  return db().execute<{ kind: string; count: number }>(sql`
    select kind, count(*)::int as count from ${mails}
    where campaign_id is null and state in ('queued', 'sending') group by 1 order by 1`);
}

/** A running worker, as of its last heartbeat; `circuitReason` is null while it can use the mail server. */
export type RunningWorker = { silentForS: number; sending: number; circuitReason: string | null };

/** The workers with a heartbeat within the last minute. */
export async function findRunningWorkers(): Promise<RunningWorker[]> {
  return db().execute<RunningWorker>(sql`
    select extract(epoch from now() - heartbeat_at)::float8 as "silentForS",
      case when circuit_open_since is not null then coalesce(circuit_reason, 'unknown') end as "circuitReason",
      (select count(*)::int from ${mails}
       where mails.worker_id = mail_workers.id and mails.state = 'sending') as sending
    from ${mailWorkers} where ${isWithinSeconds(mailWorkers.heartbeatAt, 60)} order by started_at`);
}

/** How many transactional mails of a kind ended in a state; `reply` is the codes with which they failed. */
export type FinishedMails = {
  kind: string;
  state: string;
  reply: string | null;
  count: number;
  inDoubt: number;
};

/** Transactional mails finished within the last `days`, by kind and how they ended, the most frequent first. */
export async function countFinishedMails(days: number): Promise<FinishedMails[]> {
  return db().execute<FinishedMails>(sql`
    select kind, state, case when state = 'failed' then last_reply end as reply,
      count(*)::int as count, (count(*) filter (where times_in_doubt > 0))::int as "inDoubt"
    from ${mails}
    where campaign_id is null and finished_at > now() - ${days} * interval '1 day'
    group by 1, 2, 3 order by count desc, kind`);
}

/**
 * Deletes up to `limit` transactional mails that finished 30 days ago, or 400 if an idempotency key has to be
 * remembered; returns their number. Mails of campaigns stay, since none is ever sent twice to an address.
 */
export async function deleteOldMails(limit: number): Promise<number> {
  const { count } = await db().execute(sql`
    delete from ${mails} where id in (
      select id from ${mails}
      where campaign_id is null and finished_at < now() - interval '30 days'
        and (idempotency_key is null or finished_at < now() - interval '400 days')
      order by finished_at limit ${limit}
    )`);
  return count;
}
