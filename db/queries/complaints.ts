import { type SQL, sql } from "drizzle-orm";
import { db, type Transaction } from "../client";
import { isWithinSeconds } from "../clock";
import { campaigns, mails, suppressedAddresses } from "../schema";

/** Complaints from which an issue is judged at all; one of ten mails is no pattern. */
const LEAST = 3;

/** How long complaints count, and issues are judged after their start, in seconds. */
const COUNTED_S = 30 * 24 * 60 * 60;

/** The share of an issue's sent mails at which the site pauses it (Google's limit for senders, 0.3 %). */
const PAUSE_SHARE = 0.003;

/** The share at which the operator is told. */
export const TOLD_SHARE = 0.001;

/** An issue that recipients have complained of, with the number of its sent mails. */
export type IssueComplaints = { id: string; slug: string; complaints: number; sent: number };

/**
 * The issues with complaints, however they were recorded. A complaint counts for the last issue that was sent to its
 * address before.
 */
export const ISSUE_COMPLAINTS = sql`
  select id, slug, count(*)::int as complaints,
    (select count(*)::int from ${mails} where campaign_id = complained.id and state = 'sent') as sent
  from (
    select distinct on (complaint.address_hash) campaigns.id, campaigns.slug
    from ${suppressedAddresses} complaint
    join ${campaigns} on ${isWithinSeconds(campaigns.startAt, COUNTED_S)}
    join ${mails} on mails.campaign_id = campaigns.id and mails.address_hash = complaint.address_hash
      and mails.state = 'sent' and mails.finished_at <= complaint.created_at
    where complaint.reason = 'complaint' and ${isWithinSeconds(sql`complaint.created_at`, COUNTED_S)}
    order by complaint.address_hash, mails.finished_at desc
  ) complained
  group by id, slug having count(*) >= ${sql.raw(String(LEAST))}`;

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

/**
 * Counts those who left within 30 days after an issue and before the next one reached them. The link they used is not
 * known: it is the address's own, and the same in all issues. Who has subscribed again since is not counted.
 */
export async function countDepartures(campaignId: string): Promise<IssueDepartures> {
  const [row] = await db().execute<IssueDepartures>(sql`
    select
      (count(*) filter (where reason = 'unsubscribed'))::int as unsubscribed,
      (count(*) filter (where reason = 'complaint'))::int as complained
    from ${suppressedAddresses} departed cross join lateral (${mailTo(sql`${campaignId}::uuid`)}) received
    where departed.reason in ('unsubscribed', 'complaint') and departed.created_at >= received.at
      and departed.created_at < received.at + ${COUNTED_S} * interval '1 second'
      and not exists (
        select from ${campaigns} next cross join lateral (${mailTo(sql`next.id`)}) later
        where next.id <> ${campaignId}::uuid and next.start_at <= departed.created_at
          and later.at between received.at and departed.created_at
      )`);
  return row ?? { unsubscribed: 0, complained: 0 };
}

/**
 * When a campaign's mail reached the address of `departed`; null if it did not. One look-up for each address: the limit keeps
 * the planner from a join, and the case from the index of states, which it prefers until the next ANALYZE.
 */
const mailTo = (campaignId: SQL) => sql`
  select case when mails.state = 'sent' then mails.finished_at end as at from ${mails}
  where mails.campaign_id = ${campaignId} and mails.address_hash = departed.address_hash limit 1`;
