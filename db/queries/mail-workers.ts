import { sql } from "drizzle-orm";
import { db, type Executor } from "../client";
import { isWithinSeconds } from "../clock";
import { mails, mailWorkers } from "../schema";

/** Seconds without a heartbeat, by the database's clock, after which a worker's mails are taken over. */
const LEASE_SECONDS = 20;

/** Records a worker's heartbeat and state, which renews its lease of all mails it has claimed. */
export async function recordHeartbeat(
  worker: { id: string; circuitOpenForMs: number | null; circuitReason: string | null },
  executor: Executor,
): Promise<void> {
  const { id, circuitOpenForMs, circuitReason } = worker;
  await executor.execute(sql`
    insert into ${mailWorkers} (id, circuit_open_since, circuit_reason)
    values (${id}, now() - ${circuitOpenForMs}::float8 * interval '1 millisecond', ${circuitReason})
    on conflict (id) do update set heartbeat_at = now(),
      circuit_open_since = excluded.circuit_open_since, circuit_reason = excluded.circuit_reason`);
}

/**
 * Queues up to 500 mails of dead workers again, counts each as in doubt, and returns their number. The first time they
 * are due at once; a mail that kills its worker waits longer each time.
 */
export async function takeOverMails(executor: Executor): Promise<number> {
  const { count } = await executor.execute(sql`
    with abandoned as materialized (
      select id from ${mails}
      where state = 'sending' and not exists (
        select from ${mailWorkers}
        where mail_workers.id = mails.worker_id
          and ${isWithinSeconds(mailWorkers.heartbeatAt, LEASE_SECONDS)}
      )
      limit 500 for update skip locked
    )
    update ${mails} set state = 'queued', worker_id = null,
      due_at = now() + times_in_doubt * interval '1 minute', times_in_doubt = times_in_doubt + 1
    from abandoned where mails.id = abandoned.id`);
  return count;
}

/** Removes a worker that has stopped; mails that it still held can be taken over at once. */
export async function deleteMailWorker(id: string, executor: Executor): Promise<void> {
  await executor.execute(sql`delete from ${mailWorkers} where id = ${id}`);
}

/** Removes workers whose last heartbeat was a day ago; their mails were taken over long before. */
export async function deleteDeadMailWorkers(): Promise<void> {
  await db().execute(sql`delete from ${mailWorkers} where heartbeat_at < now() - interval '1 day'`);
}

/** Whether any site is running that sends mail, by its heartbeat. */
export async function hasMailWorker(): Promise<boolean> {
  const [worker] = await db().execute(sql`
    select from ${mailWorkers}
    where ${isWithinSeconds(mailWorkers.heartbeatAt, LEASE_SECONDS)} limit 1`);
  return worker !== undefined;
}
