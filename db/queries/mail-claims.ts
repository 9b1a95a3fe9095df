import { type SQL, sql } from "drizzle-orm";
import { addressHash } from "../address-hash";
import type { Executor, Transaction } from "../client";
import { CLOCK_TOLERANCE } from "../clock";
import { campaigns, mails, type RenderedMail, subscribers, suppressedAddresses } from "../schema";
import { isReasonThat } from "../suppression-reasons";

/** A mail a worker has claimed; its counters are those before this attempt. */
type Claimed = {
  id: string;
  kind: string;
  attempts: number;
  timesInDoubt: number;
  /** Milliseconds since it was queued and until it expires, by the database's clock. */
  ageMs: number;
  expiresInMs: number;
  /** Whether its address is suppressed for a reason that stops mail of its kind. */
  isSuppressed: boolean;
};

/** A transactional mail; `message` is null if it has yet to be composed. */
export type ClaimedTransactionalMail = Claimed & {
  recipient: string;
  message: RenderedMail | null;
  leadsTo: string | null;
};

/** A campaign's mail; `subscriber` is null if the address has left the list. */
export type ClaimedCampaignMail = Claimed & {
  subscriber: { email: string; unsubscribeToken: string | null } | null;
};

/**
 * The position up to which a worker has claimed a campaign; earlier rows are not read again. While a backup or any
 * other long transaction runs, finished rows stay in the index, and every claim would read past all of them.
 */
export type CampaignCursor = { dueAt: string; id: string };

const claimedColumns = sql`mails.id, mails.kind, mails.attempts, mails.times_in_doubt as "timesInDoubt",
  (extract(epoch from now() - mails.created_at) * 1000)::float8 as "ageMs",
  (extract(epoch from mails.expires_at - now()) * 1000)::float8 as "expiresInMs",
  exists (
    select from ${suppressedAddresses}
    where suppressed_addresses.address_hash = mails.address_hash and (
      mails.campaign_id is not null
      or ${isReasonThat(sql`suppressed_addresses.reason`, ({ stopsNotices }) => stopsNotices)}
    )
  ) as "isSuppressed"`;

/** Claims up to `most` transactional mails that are due, the most urgent first; in no order within the result. */
export async function claimTransactionalMails(
  workerId: string,
  most: number,
  executor: Executor,
): Promise<ClaimedTransactionalMail[]> {
  // materialized, so that the planner cannot evaluate the locking part twice
  return executor.execute<ClaimedTransactionalMail>(sql`
    with next as materialized (
      select id from ${mails}
      where state = 'queued' and campaign_id is null and due_at <= now()
      order by priority, due_at, id limit ${most} for update skip locked
    )
    update ${mails} set state = 'sending', worker_id = ${workerId}, claimed_at = now()
    from next where mails.id = next.id
    returning ${claimedColumns}, mails.recipient, mails.message, mails.leads_to as "leadsTo"`);
}

/** The campaigns that may send now and have mails due, the earliest first. */
export async function findCampaignsToSend(
  executor: Executor,
): Promise<{ id: string; rate: number | null }[]> {
  return executor.execute<{ id: string; rate: number | null }>(sql`
    select id, rate from ${campaigns}
    where state = 'running' and start_at <= now() and exists (
      select from ${mails}
      where mails.campaign_id = campaigns.id and mails.state = 'queued' and mails.due_at <= now()
    )
    order by start_at, id`);
}

/**
 * Claims up to `most` mails of a campaign that are due and lie after the cursor; none if the campaign does not run
 * any more. `cursor` is where the next claim continues; null at the end.
 */
export async function claimCampaignMails(
  workerId: string,
  campaignId: string,
  { most, after }: { most: number; after: CampaignCursor | null },
  executor: Executor,
): Promise<{ claimed: ClaimedCampaignMail[]; cursor: CampaignCursor | null }> {
  const position = after
    ? sql`and (due_at, id) > (${after.dueAt}::timestamptz, ${after.id}::uuid)`
    : sql``;
  const rows = await executor.execute<
    ClaimedCampaignMail & { email: string | null; unsubscribeToken: string | null; dueAt: string }
  >(sql`
    with next as materialized (
      select id, subscriber_id from ${mails}
      where state = 'queued' and campaign_id = ${campaignId} and due_at <= now() ${position}
      order by due_at, id limit ${most} for update skip locked
    ), claimed as (
      update ${mails} set state = 'sending', worker_id = ${workerId}, claimed_at = now()
      from next left join ${subscribers}
        on subscribers.id = next.subscriber_id and subscribers.confirmed_at is not null
      where mails.id = next.id and exists (
        select from ${campaigns}
        where campaigns.id = ${campaignId} and campaigns.state = 'running' and start_at <= now()
      )
      returning ${claimedColumns}, mails.due_at as "dueAt", subscribers.email,
        subscribers.unsubscribe_token as "unsubscribeToken"
    )
    select * from claimed order by "dueAt", id`);
  const last = rows.at(-1);
  return {
    claimed: rows.map(({ email, unsubscribeToken, dueAt: _, ...mail }) => ({
      ...mail,
      subscriber: email === null ? null : { email, unsubscribeToken },
    })),
    cursor: last ? { dueAt: last.dueAt, id: last.id } : null,
  };
}

/** Pauses a running campaign by itself, with the reason that its status shows. */
export async function pauseCampaign(id: string, reason: string, executor: Executor): Promise<void> {
  await executor.execute(sql`
    update ${campaigns} set state = 'paused', pause_reason = ${reason}
    where id = ${id} and state = 'running'`);
}

/**
 * Whether the worker still holds a claimed mail; locks it until the transaction ends. The server ends the transaction
 * of a suspended or disconnected worker after 30 seconds, so that others can take the mail over.
 */
export async function lockClaimedMail(
  id: string,
  workerId: string,
  tx: Transaction,
): Promise<boolean> {
  const rows = await tx.execute(sql`
    select set_config('idle_in_transaction_session_timeout', '30s', true)
    from ${mails} where id = ${id} and state = 'sending' and worker_id = ${workerId}
    for update`);
  return rows.length > 0;
}

/** Stores what was composed for a claimed mail, so that a later attempt sends the same. */
export async function storeComposedMail(
  id: string,
  { to, message }: { to: string; message: RenderedMail },
  tx: Transaction,
): Promise<void> {
  await tx.execute(sql`
    update ${mails} set recipient = ${to}, address_hash = ${addressHash(to)},
      message = ${JSON.stringify(message)}::jsonb, leads_to = null
    where id = ${id}`);
}

/** Deletes a mail that turned out not to be needed, and so the address in it. */
export async function deleteMail(id: string, tx: Transaction): Promise<void> {
  await tx.execute(sql`delete from ${mails} where id = ${id}`);
}

/** Records a mail as sent, even if another worker holds it by now, since it was delivered. */
export async function markMailSent(id: string, executor: Executor): Promise<void> {
  await executor.execute(sql`
    update ${mails} set state = 'sent', finished_at = now(), recipient = null, message = null
    where id = ${id} and state in ('queued', 'sending')`);
}

/** Queues claimed mails again, unless another worker has taken them over. `reply` says in codes why. */
export async function requeueMails(
  ids: readonly string[],
  workerId: string,
  again: { delayMs: number; countsAttempt: boolean; inDoubt: boolean; reply: string | null },
  executor: Executor,
): Promise<void> {
  await executor.execute(sql`
    update ${mails} set state = 'queued', worker_id = null,
      due_at = now() + ${again.delayMs} * interval '1 millisecond',
      attempts = attempts + ${again.countsAttempt ? 1 : 0},
      times_in_doubt = times_in_doubt + ${again.inDoubt ? 1 : 0},
      last_reply = coalesce(${again.reply}, last_reply)
    where id = any(${arrayOf(ids)}) and state = 'sending' and worker_id = ${workerId}`);
}

/**
 * Queues again the mails of a worker that it does not know of: the claim was committed, but the answer was lost with
 * the connection. Claims of the last 15 seconds are left alone, since they may still be on their way.
 */
export async function requeueLostClaims(
  workerId: string,
  known: readonly string[],
  executor: Executor,
): Promise<void> {
  await executor.execute(sql`
    update ${mails} set state = 'queued', worker_id = null
    where state = 'sending' and worker_id = ${workerId} and id <> all(${arrayOf(known)})
      and claimed_at < now() - interval '15 seconds'`);
}

/**
 * Finishes a claimed mail that is not sent, unless another worker has taken it over; with `suppressAddress` its
 * address gets no more mail. Any other transactional mail that failed keeps its content until it expires
 * (`deleteFailedContent`), so that the operator can have it sent again.
 */
export async function finishUnsentMail(
  id: string,
  workerId: string,
  end: {
    state: "failed" | "expired" | "cancelled" | "suppressed";
    reply?: string | null;
    inDoubt?: boolean;
    suppressAddress?: boolean;
  },
  executor: Executor,
): Promise<void> {
  const { state, reply = null, inDoubt = false, suppressAddress = false } = end;
  const keepsContent = state === "failed" && !suppressAddress;
  await executor.execute(sql`
    with finished as (
      update ${mails} set state = ${state}, finished_at = now(),
        recipient = case when ${keepsContent}::boolean then recipient end,
        message = case when ${keepsContent}::boolean then message end,
        times_in_doubt = times_in_doubt + ${inDoubt ? 1 : 0},
        last_reply = coalesce(${reply}, last_reply)
      where id = ${id} and state = 'sending' and worker_id = ${workerId}
      returning address_hash, last_reply
    )
    insert into ${suppressedAddresses} (address_hash, reason, reply)
    select address_hash, 'hard-bounce', last_reply from finished where ${suppressAddress}::boolean
    on conflict do nothing`);
}

/** Ends the suppression of a sent mail's address, which has just accepted one; a complaint stays. */
export async function clearHardBounce(mailId: string, executor: Executor): Promise<void> {
  await executor.execute(sql`
    delete from ${suppressedAddresses} using ${mails}
    where mails.id = ${mailId} and suppressed_addresses.address_hash = mails.address_hash
      and reason = 'hard-bounce'`);
}

/** Finishes up to 500 transactional mails that expired before their turn came. */
export async function expireTransactionalMails(executor: Executor): Promise<void> {
  await executor.execute(sql`
    with expired as materialized (
      select id from ${mails}
      where state = 'queued' and campaign_id is null and expires_at <= now()
      limit 500 for update skip locked
    )
    update ${mails} set state = 'expired', finished_at = now(), recipient = null, message = null
    from expired where mails.id = expired.id`);
}

/**
 * Makes mail due that a clock that ran ahead has put off: no transactional mail waits a day for its next attempt, and no
 * issue was made in the future. A scheduled issue keeps its time.
 */
export async function makePutOffMailsDue(executor: Executor): Promise<void> {
  await executor.execute(sql`
    with issues as (
      update ${campaigns} set start_at = now()
      where state = 'running' and created_at > now() + ${CLOCK_TOLERANCE}
        and start_at < created_at + interval '1 minute'
      returning id
    )
    update ${mails} set due_at = now()
    where state = 'queued' and due_at > now() + interval '1 day'
      and (campaign_id is null or campaign_id in (select id from issues))`);
}

/**
 * Finishes up to 500 queued mails of canceled campaigns, which a worker had claimed at the cancellation and could not
 * deliver.
 */
export async function cancelReturnedMails(executor: Executor): Promise<void> {
  await executor.execute(sql`
    with returned as materialized (
      select mails.id from ${campaigns} join ${mails} on mails.campaign_id = campaigns.id
      where campaigns.state = 'cancelled' and mails.state = 'queued'
      limit 500 for update of mails skip locked
    )
    update ${mails} set state = 'cancelled', finished_at = now()
    from returned where mails.id = returned.id`);
}

/** An array of ids as one parameter; Drizzle would make one of each element. */
function arrayOf(ids: readonly string[]): SQL {
  return sql`${`{${ids.join()}}`}::uuid[]`;
}
