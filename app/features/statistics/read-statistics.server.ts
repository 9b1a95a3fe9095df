import { db, type Executor, getDatabase } from "~db/client";
import { countComplimentary } from "~db/queries/profiles";
import { countRenewalFailures } from "~db/queries/renewal-failures";
import {
  type CohortCount,
  countAccountChanges,
  countCohorts,
  countDisputes,
  countMemberChanges,
  countNewcomers,
  countReadings,
  countReasons,
  countSubscriberChanges,
  sumRevenueChanges,
} from "~db/queries/statistics";
import { findDailyVisitors, WHOLE_SITE } from "~db/queries/visitors";
import type { Cohort, Funnel, MonthFigures, Statistics } from "./statistics";
import { monthAfter, monthsBetween, utcDay, utcMonth } from "./utc-day";
import { UPGRADE } from "./visitor-counter.server";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Days of the funnel. */
const FUNNEL_DAYS = 30;

/** Timeout of a query on a connection of its own, in milliseconds; longer than visitors would wait. */
const QUERY_TIMEOUT_MS = 600_000;

/** How long a query may wait for that connection, in milliseconds. */
const TURN_TIMEOUT_MS = 6 * 60 * 60 * 1000;

/** Maximum number of texts named per month. */
const MOST_READ = 10;

/** Number of cohorts of members, and of months that each is followed. */
const COHORT_MONTHS = 12;

/**
 * Computes all statistics from the database, for `last`, by default the current calendar month, and the `months` before it. This
 * takes minutes on a large site. It runs as many statements at once as the executor has connections.
 */
export async function readStatistics(
  months: number,
  now = new Date(),
  executor: Executor = db(),
  last = utcMonth(now),
): Promise<Statistics> {
  const first = monthAfter(last, -months);
  const [figures, cohorts, funnel, complimentary, reasons] = await Promise.all([
    readMonths(first, last, executor),
    readCohorts(now, executor),
    readFunnel(now, executor),
    countComplimentary(executor),
    countReasons(
      `${first}-01`,
      last < utcMonth(now) ? `${monthAfter(last, 1)}-01` : null,
      executor,
    ),
  ]);
  return { at: now.toISOString(), months: figures, cohorts, complimentary, reasons, funnel };
}

/** Does the work on a connection of its own, so that visitors do not wait while figures are counted. */
export async function withOwnConnection<T>(work: (executor: Executor) => Promise<T>): Promise<T> {
  const own = getDatabase().reopen({
    max: 1,
    statementTimeout: QUERY_TIMEOUT_MS,
    acquireTimeout: TURN_TIMEOUT_MS,
    onQuery: undefined,
  });
  try {
    return await work(own.db);
  } finally {
    await own.close();
  }
}

async function readMonths(
  first: string,
  last: string,
  executor: Executor,
): Promise<MonthFigures[]> {
  const [members, revenue, newsletter, accounts, visitors, renewals, disputes, readings] =
    await Promise.all([
      countMemberChanges(executor),
      sumRevenueChanges(executor),
      countSubscriberChanges(executor),
      countAccountChanges(executor),
      findDailyVisitors(`${first}-01`, executor),
      countRenewalFailures(executor),
      countDisputes(executor),
      countReadings(`${first}-01`, executor),
    ]);
  const memberCount = runningSum(
    members.map(({ month, ...one }) => [month, one.joined + one.returned - one.left]),
  );
  const newsletterCount = runningSum(newsletter.map((one) => [one.month, one.joined - one.left]));
  const accountCount = runningSum(accounts.map((one) => [one.month, one.joined - one.left]));
  const currencies = [...new Set(revenue.map(({ currency }) => currency))];
  const revenueOf = new Map(
    currencies.map((currency) => {
      const changes = revenue.filter((one) => one.currency === currency);
      return [currency, runningSum(changes.map(({ month, amount }) => [month, amount]))];
    }),
  );
  return monthsBetween(first, last).map((month) => {
    const none = { joined: 0, left: 0 };
    const { lost, ...changes } = pick(members, month, { joined: 0, returned: 0, left: 0, lost: 0 });
    const before = memberCount(monthAfter(month, -1));
    return {
      month,
      members: {
        count: memberCount(month),
        ...changes,
        churn: before === 0 ? null : lost / before,
      },
      revenue: Object.fromEntries(
        [...revenueOf].map(([currency, amount]) => [currency, amount(month)]),
      ),
      newsletter: { count: newsletterCount(month), ...pick(newsletter, month, none) },
      accounts: { count: accountCount(month), ...pick(accounts, month, none) },
      visitors: visitors
        .filter(({ day, page }) => page === WHOLE_SITE && day.startsWith(month))
        .reduce((sum, one) => sum + one.visitors, 0),
      renewals: pick(renewals, month, { failed: 0, recovered: 0 }),
      disputes: pick(disputes, month, { opened: 0, ended: 0 }),
      mostRead: readings
        .filter((one) => one.month === month)
        .slice(0, MOST_READ)
        .map(({ month: _, ...reading }) => reading),
    };
  });
}

/** Returns a month's figures without the month; `none` if nothing happened in it. */
function pick<Figures extends object>(
  all: readonly (Figures & { month: string })[],
  wanted: string,
  none: Figures,
): Figures {
  const found = all.find(({ month }) => month === wanted);
  if (!found) return none;
  const { month: _, ...figures } = found;
  return figures as unknown as Figures;
}

/** Returns a function that sums all changes up to the end of a month. */
function runningSum(changes: [month: string, by: number][]): (month: string) => number {
  return (month) => changes.reduce((sum, [at, by]) => (at <= month ? sum + by : sum), 0);
}

async function readCohorts(now: Date, executor: Executor): Promise<Cohort[]> {
  const first = monthAfter(utcMonth(now), 1 - COHORT_MONTHS);
  const counts = await countCohorts(
    { since: new Date(`${first}-01T00:00:00Z`), months: COHORT_MONTHS - 1 },
    executor,
  );
  const months = [...new Set(counts.map(({ month }) => month))];
  return months.map((month) => {
    const ofMonth = counts.filter((one) => one.month === month);
    return {
      month,
      size: ofMonth[0]?.size ?? 0,
      retained: ofMonth.map((one) => (isComplete(one, now) ? one.members / one.size : null)),
    };
  });
}

/** Whether the cohort's month ended at least `after` months ago; true for 0. */
function isComplete({ month, after }: CohortCount, now: Date): boolean {
  return after === 0 || new Date(`${monthAfter(month, after + 1)}-01T00:00:00Z`) <= now;
}

async function readFunnel(now: Date, executor: Executor): Promise<Funnel> {
  const since = new Date(now.getTime() - FUNNEL_DAYS * DAY_MS);
  const [daily, newcomers] = await Promise.all([
    findDailyVisitors(utcDay(since), executor),
    countNewcomers(since, executor),
  ]);
  const visitorsOf = (page: string) =>
    daily.filter((one) => one.page === page).reduce((sum, one) => sum + one.visitors, 0);
  return {
    days: FUNNEL_DAYS,
    visitors: visitorsOf(WHOLE_SITE),
    authVisitors: visitorsOf("/auth"),
    accounts: newcomers.accounts,
    upgradeVisitors: visitorsOf(UPGRADE),
    members: newcomers.members,
  };
}
