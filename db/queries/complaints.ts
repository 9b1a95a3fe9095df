import { sql } from "drizzle-orm";
import { db, type Transaction } from "../client";
import { isWithinSeconds } from "../clock";
import { campaigns, mails, suppressedAddresses } from "../schema";

/** Complaints from which an issue is judged at all; one of ten mails is no pattern. */
const LEAST = 3;

/** How long after an issue's start complaints count for it, and the site judges it by them, in seconds. */
const COUNTED_S = 30 * 24 * 60 * 60;

/** The share of an issue's sent mails at which the site pauses it (Google's limit for senders, 0.3 %). */
const PAUSE_SHARE = 0.003;

/** The share at which the operator is told. */
export const TOLD_SHARE = 0.001;

/** An issue that recipients have complained of, with the number of its sent mails. */
export type IssueComplaints = { id: string; slug: string; complaints: number; sent: number };

/**
 * When a campaign's mail reached the address of `departed`; null if it did not. One look-up for each address: the limit keeps
 * the planner from a join, and the case from the index of states, which it prefers until the next ANALYZE.
 */
const mailReceived = sql`
  select case when mails.state = 'sent' then mails.finished_at end as at from ${mails}
  where mails.campaign_id = campaigns.id and mails.address_hash = departed.address_hash limit 1`;

/**
 * Why and when addresses were suppressed, with the issue that it counts for: the last one that was sent to the address before,
 * of those begun in the 30 days before. The link that was used is not known: it is the address's own, and the same in all issues.
 * Who has subscribed again since is not counted.
 */
export const DEPARTURES = sql`
  select departed.reason, departed.created_at, last.campaign_id
  from ${suppressedAddresses} departed cross join lateral (
    select campaigns.id as campaign_id
    from ${campaigns} cross join lateral (${mailReceived}) received
    where campaigns.start_at <= departed.created_at and received.at <= departed.created_at
      and campaigns.start_at > departed.created_at - ${COUNTED_S} * interval '1 second'
    order by received.at desc limit 1
  ) last`;

/** The issues with recent complaints, however they were recorded. */
export const ISSUE_COMPLAINTS = sql`
  select campaigns.id, slug, count(*)::int as complaints,
    (select count(*)::int from ${mails} where campaign_id = campaigns.id and state = 'sent') as sent
  from (${DEPARTURES}) departures join ${campaigns} on campaigns.id = campaign_id
  where reason = 'complaint' and ${isWithinSeconds(sql`departures.created_at`, COUNTED_S)}
  group by campaigns.id, slug having count(*) >= ${sql.raw(String(LEAST))}`;

/** Pauses the issues that still go out and that too many of their recipients complain of; returns their number. */
export async function pauseCampaignsWithComplaints(tx: Transaction): Promise<number> {
  const { count } = await tx.execute(sql`
    update ${campaigns} set state = 'paused',
      pause_reason = 'The recipients of ' || complaints || ' of its ' || sent || ' mails called it spam'
    from (${ISSUE_COMPLAINTS}) complained
    where campaigns.id = complained.id and state = 'running' and complaints >= ${PAUSE_SHARE}::float8 * sent
      and exists (select from ${mails} where campaign_id = campaigns.id and mails.state = 'queued')`);
  return count;
}

/** How many left after an issue: by their own wish, and by calling a letter spam. */
export type IssueDepartures = { unsubscribed: number; complained: number };

/** Counts those who left because of an issue. */
export async function countDepartures(campaignId: string): Promise<IssueDepartures> {
  const [row] = await db().execute<IssueDepartures>(sql`
    select
      (count(*) filter (where reason = 'unsubscribed'))::int as unsubscribed,
      (count(*) filter (where reason = 'complaint'))::int as complained
    from (${DEPARTURES}) departures
    where campaign_id = ${campaignId}::uuid
      and created_at >= (select start_at from ${campaigns} where id = ${campaignId}::uuid)`);
  return row ?? { unsubscribed: 0, complained: 0 };
}
