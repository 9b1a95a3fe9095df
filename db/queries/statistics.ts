import { sql } from "drizzle-orm";
import type { Executor } from "../client";
import { DEPARTURES } from "./complaints";

// Counts by calendar month in UTC, for the operator's statistics (docs/members.md). Months in which nothing
// happened are left out.

/** A calendar month in UTC, such as `2026-11`. */
export type Month = string;

/** The calendar month in UTC of a timestamp, given as an SQL expression. */
export const month = (instant: string) =>
  sql.raw(`to_char(${instant} at time zone 'UTC', 'YYYY-MM')`);

/**
 * The memberships of each person, merged where they overlap, so that a change of subscription counts neither as leaving
 * nor as joining.
 */
const spells = sql`
  spells as (
    select person, lower(during) as started_at, upper(during) as ended_at,
      row_number() over (partition by person order by lower(during)) = 1 as is_first
    from (
      select person, unnest(range_agg(tstzrange(started_at, ended_at))) as during
      from memberships where ended_at is null or ended_at > started_at
      group by person
    ) merged
  )`;

/** Members who joined, came back and left in a month, and who left of those who were members when it began. */
export type MemberChanges = {
  month: Month;
  joined: number;
  returned: number;
  left: number;
  lost: number;
};

/** Changes of members, by month. */
export async function countMemberChanges(executor: Executor): Promise<MemberChanges[]> {
  return executor.execute<MemberChanges>(sql`
    with ${spells}, changes as (
      select ${month("started_at")} as month, is_first::int as joined, (not is_first)::int as returned, 0 as "left",
        0 as lost
        from spells where started_at <= now()
      union all
      select ${month("ended_at")}, 0, 0, 1, (${month("started_at")} < ${month("ended_at")})::int
        from spells where ended_at <= now()
    )
    select month, sum(joined)::int as joined, sum(returned)::int as returned, sum("left")::int as "left",
      sum(lost)::int as lost
    from changes group by month order by month`);
}

/** Memberships that were canceled and end from `since` on, and before `until` if there is one, by the reason given in Stripe's word, commonest first. */
export async function countReasons(
  since: string,
  until: string | null,
  executor: Executor,
): Promise<{ reason: string; members: number }[]> {
  return executor.execute<{ reason: string; members: number }>(sql`
    select reason, count(*)::int as members from memberships
    where reason is not null and (ended_at is null or ended_at >= ${since}::date)
      and (${until}::date is null or ended_at < ${until}::date)
    group by reason order by members desc, reason`);
}

/** By how much the monthly recurring revenue changed, by month and currency, in the currency's minor unit. */
export async function sumRevenueChanges(
  executor: Executor,
): Promise<{ month: Month; currency: string; amount: number }[]> {
  return executor.execute<{ month: Month; currency: string; amount: number }>(sql`
    with changes as (
      select started_at as at, currency, monthly_amount as amount from memberships
        where ended_at is null or ended_at > started_at
      union all
      select ended_at, currency, -monthly_amount from memberships where ended_at > started_at
    )
    select ${month("at")} as month, currency, sum(amount)::float8 as amount
    from changes where at <= now() group by 1, 2 order by 1, 2`);
}

/** A month's new members, and how many of them were members so many months after they had joined. */
export type CohortCount = { month: Month; size: number; after: number; members: number };

/**
 * The number of members of each cohort since `since` who were members 0 to `months` months after joining. Months still
 * in the future count as not a member.
 */
export async function countCohorts(
  { since, months }: { since: Date; months: number },
  executor: Executor,
): Promise<CohortCount[]> {
  return executor.execute<CohortCount>(sql`
    with ${spells}, people as (
      select person, started_at as joined_at from spells
      where is_first and started_at >= ${since.toISOString()}::timestamptz and started_at <= now()
    ), cohorts as (
      select ${month("joined_at")} as month, count(*)::int as size from people group by 1
    ), stayed as (
      select ${month("joined_at")} as month, after, count(*)::int as members
      from people
        join spells using (person)
        join generate_series(0, ${months}::int) after
          on spells.started_at <= joined_at + after * interval '1 month'
          and (spells.ended_at is null or spells.ended_at > joined_at + after * interval '1 month')
      group by 1, after
    )
    select month, size, after, coalesce(members, 0) as members
    from cohorts cross join generate_series(0, ${months}::int) after
      left join stayed using (month, after)
    order by month, after`);
}

/** The numbers of those who joined and left, by month. */
export type Changes = { month: Month; joined: number; left: number };

/** Newsletter addresses that were confirmed, and that left the list. */
export async function countSubscriberChanges(executor: Executor): Promise<Changes[]> {
  return countChanges(
    sql`select ${month("confirmed_at")} as month, count(*) as joined, 0 as "left" from subscribers
        where confirmed_at is not null group by 1`,
    sql`former_subscribers`,
    executor,
  );
}

/** Accounts that were created, and that were deleted. */
export async function countAccountChanges(executor: Executor): Promise<Changes[]> {
  return countChanges(
    sql`select ${month("created_at")} as month, count(*) as joined, 0 as "left" from users group by 1`,
    sql`former_accounts`,
    executor,
  );
}

async function countChanges(
  present: ReturnType<typeof sql>,
  former: ReturnType<typeof sql>,
  executor: Executor,
): Promise<Changes[]> {
  return executor.execute<Changes>(sql`
    with changes as (
      ${present}
      union all
      select to_char(joined_on, 'YYYY-MM'), count(*), 0 from ${former} group by 1
      union all
      select to_char(left_on, 'YYYY-MM'), 0, count(*) from ${former} group by 1
    )
    select month, sum(joined)::int as joined, sum("left")::int as "left"
    from changes group by month order by month`);
}

/** Accounts created and first memberships begun since `since`, those that have ended included. */
export async function countNewcomers(
  since: Date,
  executor: Executor,
): Promise<{ accounts: number; members: number }> {
  const from = sql`${since.toISOString()}::timestamptz`;
  const [row] = await executor.execute<{ accounts: number; members: number }>(sql`
    with ${spells}
    select
      (select count(*)::int from users where created_at >= ${from})
        + (select count(*)::int from former_accounts where joined_on >= (${from} at time zone 'UTC')::date) as accounts,
      (select count(*)::int from spells where is_first and started_at >= ${from} and started_at <= now()) as members`);
  return row ?? { accounts: 0, members: 0 };
}

/** Disputes of payments, as the operator was told of them, by the month in which they were opened and ended. */
export async function countDisputes(
  executor: Executor,
): Promise<{ month: Month; opened: number; ended: number }[]> {
  return executor.execute<{ month: Month; opened: number; ended: number }>(sql`
    with changes as (
      select opened_at as at, 1 as opened, 0 as ended from operator_matters where kind = 'dispute'
      union all
      select cleared_at, 0, 1 from operator_matters where kind = 'dispute' and cleared_at is not null
    )
    select ${month("at")} as month, sum(opened)::int as opened, sum(ended)::int as ended
    from changes group by 1 order by 1`);
}

/** How many members marked a text as read in a month. */
export type Reading = { month: Month; slug: string; title: string; members: number };

/** The texts that were marked as read since a day in UTC, by month, those of most members first. */
export async function countReadings(since: string, executor: Executor): Promise<Reading[]> {
  return executor.execute<Reading>(sql`
    with readings as (
      select ${month("read_at")} as month, slug, count(*)::int as members from reading_progress
      where read_at >= ${since}::date::timestamp at time zone 'UTC' group by 1, 2
    ), titles as (
      select distinct on (1) coalesce(id, slug) as slug, title
      from edition_documents join editions on editions.digest = edition_documents.edition
      order by 1, used_at desc
    )
    select month, slug, coalesce(title, slug) as title, members
    from readings left join titles using (slug) order by month, members desc, slug`);
}

/** The day of the site's oldest rows; null for a site without any. Imported subscribers may have joined before. */
export async function findFirstDay(executor: Executor): Promise<string | null> {
  const utcDay = (instant: string) => sql.raw(`(min(${instant}) at time zone 'UTC')::date`);
  const [row] = await executor.execute<{ day: string | null }>(sql`
    select to_char(least(
      (select ${utcDay("created_at")} from users), (select min(joined_on) from former_accounts),
      (select ${utcDay("created_at")} from subscribers), (select min(left_on) from former_subscribers),
      (select min(day) from daily_visitors), (select min(day) from visitor_hashes),
      (select ${utcDay("created_at")} from campaigns), (select ${utcDay("imported_at")} from editions),
      (select ${utcDay("started_at")} from program_starts)
    ), 'YYYY-MM-DD') as day`);
  return row?.day ?? null;
}

/** A letter with what became of its mails. */
export type LetterResults = {
  slug: string;
  subject: string;
  audience: "subscribers" | "premium";
  startAt: string;
  /** Accepted by the mail server, and refused or put off for too long. */
  sent: number;
  failed: number;
  /** Of those sent to, how many were then reported as undeliverable, called it spam, and unsubscribed (`DEPARTURES`). */
  bounced: number;
  complaints: number;
  unsubscribed: number;
};

/** The results of the letters that have begun, the newest first. */
export async function countLetterResults(
  limit: number,
  executor: Executor,
): Promise<LetterResults[]> {
  return executor.execute<LetterResults>(sql`
    with departures as materialized (${DEPARTURES})
    select slug, subject, audience, to_json(start_at)#>>'{}' as "startAt",
      ${countOfLetter("mails", "state = 'sent'")} as sent,
      ${countOfLetter("mails", "state in ('failed', 'expired')")} as failed,
      ${countOfLetter("departures", "reason = 'hard-bounce'")} as bounced,
      ${countOfLetter("departures", "reason = 'complaint'")} as complaints,
      ${countOfLetter("departures", "reason = 'unsubscribed'")} as unsubscribed
    from campaigns where start_at <= now() order by start_at desc limit ${limit}`);
}

const countOfLetter = (rows: string, which: string) =>
  sql.raw(`(select count(*)::int from ${rows} where campaign_id = campaigns.id and ${which})`);

/** How many members have opened a text, by its id, and how many of them have marked it as read. */
export type TextReaders = { slug: string; opened: number; finished: number };

/** The texts that most members have opened. Deleted accounts do not count. */
export async function countTextReaders(limit: number, executor: Executor): Promise<TextReaders[]> {
  return executor.execute<TextReaders>(sql`
    select slug, count(*)::int as opened, count(read_at)::int as finished
    from reading_progress group by slug order by opened desc, slug limit ${limit}`);
}
