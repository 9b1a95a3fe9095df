import { and, desc, eq, lte, or, type SQL, sql } from "drizzle-orm";
import { addressHash } from "../address-hash";
import { db, type Executor, firstRow, type Transaction } from "../client";
import {
  type Campaign,
  campaigns,
  type MailState,
  mails,
  profiles,
  subscribers,
  suppressedAddresses,
  users,
} from "../schema";
import { givesAccess } from "./profiles";

export type Audience = Campaign["audience"];

/** Inserts a campaign; null, with nothing written, if its slug is taken. */
export async function insertCampaign(
  campaign: typeof campaigns.$inferInsert,
  tx: Transaction,
): Promise<Campaign | null> {
  return firstRow(tx.insert(campaigns).values(campaign).onConflictDoNothing().returning());
}

/** A campaign, locked until the caller's transaction ends. */
export async function lockCampaignBySlug(slug: string, tx: Transaction): Promise<Campaign | null> {
  return firstRow(tx.select().from(campaigns).where(eq(campaigns.slug, slug)).for("update"));
}

/**
 * Queues a campaign's mail to everybody of its audience who has not had it; returns their number. One statement, so
 * that there is never half a list. Each mail is due at `dueAt` and expires `lifetimeMs` later.
 */
export async function insertCampaignMails(
  { id, audience }: Pick<Campaign, "id" | "audience">,
  { dueAt, lifetimeMs }: { dueAt: Date; lifetimeMs: number },
  tx: Transaction,
): Promise<number> {
  const { count } = await tx.execute(sql`
    insert into ${mails} (kind, priority, campaign_id, subscriber_id, address_hash, due_at, expires_at)
    select 'newsletter', 2, ${id}::uuid, ${subscribers.id}, ${addressHash(subscribers.email)}, due, due + life
    from ${subscribers},
      (select greatest(now(), ${dueAt.toISOString()}::timestamptz) as due,
        ${lifetimeMs} * interval '1 millisecond' as life) as times
    where ${isConfirmed} and not ${isSuppressed} and ${isInAudience(audience)}
    order by ${subscribers.id}
    on conflict do nothing`);
  return count;
}

/** The numbers of addresses that a campaign would reach now, and would not. */
export type AudienceCounts = {
  /** Confirmed subscribers of the audience that are not suppressed. */
  recipients: number;
  /** Confirmed subscribers of the audience whose address bounced or complained. */
  suppressed: number;
  /** Addresses whose owner has not confirmed them. */
  unconfirmed: number;
  /** Members who have not subscribed to the newsletter, and so get no issue. */
  unsubscribedMembers: number;
};

export async function countAudience(audience: Audience): Promise<AudienceCounts> {
  const reached = and(isConfirmed, isInAudience(audience));
  const [row] = await db().execute<AudienceCounts>(sql`
    select
      (count(*) filter (where ${reached} and not ${isSuppressed}))::int as recipients,
      (count(*) filter (where ${reached} and ${isSuppressed}))::int as suppressed,
      (count(*) filter (where ${subscribers.confirmedAt} is null))::int as unconfirmed,
      (
        select count(*)::int from ${users} join ${profiles} on ${profiles.id} = ${users.id}
        where ${givesAccess()} and not exists (
          select from ${subscribers} own where lower(own.email) = lower(${users.email})
            and own.confirmed_at is not null
        )
      ) as "unsubscribedMembers"
    from ${subscribers}`);
  return row ?? { recipients: 0, suppressed: 0, unconfirmed: 0, unsubscribedMembers: 0 };
}

export function findCampaignBySlug(slug: string): Promise<Campaign | null> {
  return findCampaignWhere(eq(campaigns.slug, slug));
}

export function findCampaign(id: string): Promise<Campaign | null> {
  return findCampaignWhere(eq(campaigns.id, id));
}

/** Campaigns, those that start last first. */
export async function findCampaigns(limit: number): Promise<Campaign[]> {
  return db().select().from(campaigns).orderBy(desc(campaigns.startAt)).limit(limit);
}

/** The numbers of a campaign's mails by state. */
export type CampaignProgress = Record<MailState, number> & {
  /** Mails of which two copies may have arrived, because the answer to the first was lost. */
  inDoubt: number;
};

export async function readCampaignProgress(
  campaignId: string,
  executor: Executor = db(),
): Promise<CampaignProgress> {
  const rows = await executor.execute<{ state: MailState; count: number; inDoubt: number }>(sql`
    select state, count(*)::int as count,
      (count(*) filter (where times_in_doubt > 0))::int as "inDoubt"
    from ${mails} where campaign_id = ${campaignId} group by state`);
  const progress: CampaignProgress = {
    queued: 0,
    sending: 0,
    sent: 0,
    failed: 0,
    expired: 0,
    cancelled: 0,
    suppressed: 0,
    inDoubt: 0,
  };
  for (const { state, count, inDoubt } of rows) {
    progress[state] = count;
    progress.inDoubt += inDoubt;
  }
  return progress;
}

/** The mail server's replies to a campaign's failed mails, the most frequent first. */
export async function findFailureReplies(
  campaignId: string,
  limit: number,
): Promise<{ reply: string | null; count: number }[]> {
  return db().execute<{ reply: string | null; count: number }>(sql`
    select last_reply as reply, count(*)::int as count from ${mails}
    where campaign_id = ${campaignId} and state = 'failed'
    group by last_reply order by count(*) desc, last_reply limit ${limit}`);
}

export async function setCampaignState(
  id: string,
  state: Campaign["state"],
  tx: Transaction,
): Promise<void> {
  await tx.update(campaigns).set({ state, pauseReason: null }).where(eq(campaigns.id, id));
}

export async function setCampaignRate(
  id: string,
  rate: number | null,
  tx: Transaction,
): Promise<void> {
  await tx.update(campaigns).set({ rate }).where(eq(campaigns.id, id));
}

/** Extends the expiry of a campaign's queued mails to at least `lifetimeMs` from now, as after a pause of days. */
export async function extendCampaignMails(
  campaignId: string,
  lifetimeMs: number,
  tx: Transaction,
): Promise<void> {
  await tx.execute(sql`
    update ${mails} set expires_at = now() + ${lifetimeMs} * interval '1 millisecond'
    where campaign_id = ${campaignId} and state = 'queued'
      and expires_at < now() + ${lifetimeMs} * interval '1 millisecond'`);
}

/**
 * Queues a campaign's mails again that the mail server refused or put off for too long, as if they had never been
 * tried; returns their number. Those that may have arrived are left alone.
 */
export async function retryCampaignMails(
  campaignId: string,
  lifetimeMs: number,
  tx: Transaction,
): Promise<number> {
  const { count } = await tx.execute(sql`
    update ${mails} set state = 'queued', finished_at = null, worker_id = null, due_at = now(), attempts = 0,
      expires_at = now() + ${lifetimeMs} * interval '1 millisecond'
    where campaign_id = ${campaignId} and state in ('failed', 'expired') and times_in_doubt = 0`);
  return count;
}

/** Finishes a campaign's mails that nobody has begun to send. */
export async function cancelCampaignMails(campaignId: string, tx: Transaction): Promise<void> {
  await tx.execute(sql`
    update ${mails} set state = 'cancelled', finished_at = now(), recipient = null, message = null
    where campaign_id = ${campaignId} and state = 'queued'`);
}

/** An issue as the archive lists it. */
export type ListedIssue = Pick<
  Campaign,
  "slug" | "subject" | "previewText" | "premium" | "startAt"
>;

/** The issues that are public at `now`, the newest first. */
export async function findPublishedIssues(now: Date, limit: number): Promise<ListedIssue[]> {
  const { slug, subject, previewText, premium, startAt } = campaigns;
  return db()
    .select({ slug, subject, previewText, premium, startAt })
    .from(campaigns)
    .where(isPublished(now))
    .orderBy(desc(campaigns.startAt), desc(campaigns.createdAt))
    .limit(limit);
}

/** An issue that is public at `now`. */
export function findPublishedIssue(slug: string, now: Date): Promise<Campaign | null> {
  return findCampaignWhere(and(eq(campaigns.slug, slug), isPublished(now)));
}

async function findCampaignWhere(condition: SQL | undefined): Promise<Campaign | null> {
  return firstRow(db().select().from(campaigns).where(condition));
}

const isConfirmed = sql`${subscribers.confirmedAt} is not null`;

const isSuppressed = sql`exists (
  select from ${suppressedAddresses}
  where ${suppressedAddresses.addressHash} = ${addressHash(subscribers.email)}
)`;

/** Issues for members go only to members who have subscribed, because the subscription is the consent. */
function isInAudience(audience: Audience): SQL {
  if (audience === "subscribers") return sql`true`;
  return sql`exists (
    select from ${users} join ${profiles} on ${profiles.id} = ${users.id}
    where lower(${users.email}) = lower(${subscribers.email}) and ${givesAccess()}
  )`;
}

/** Public from its start on; a canceled one only if it was mailed to anybody. */
function isPublished(now: Date): SQL | undefined {
  return and(
    lte(campaigns.startAt, now),
    or(
      sql`${campaigns.state} <> 'cancelled'`,
      sql`exists (select from ${mails} where ${mails.campaignId} = ${campaigns.id} and ${mails.state} = 'sent')`,
    ),
  );
}
