import { and, count, countDistinct, eq, gte, lt, sql } from "drizzle-orm";
import { db, type Executor, getDatabase } from "../client";
import { dailyVisitors, visitorHashes, visitorSalts } from "../schema";

/** A day in UTC, such as `2026-11-23`. */
export type Day = string;

/** The name under which `daily_visitors` counts the visitors of any page. */
export const WHOLE_SITE = "";

/** The salt of a day; `fresh` becomes it if the day has none yet. */
export async function ensureVisitorSalt(day: Day, fresh: Buffer): Promise<Buffer> {
  const find = () => db().select().from(visitorSalts).where(eq(visitorSalts.day, day));
  const [known] = await find();
  if (known) return known.salt;
  await db().insert(visitorSalts).values({ day, salt: fresh }).onConflictDoNothing();
  const [row] = await find();
  if (!row) throw new Error(`There is no salt for ${day}.`);
  return row.salt;
}

/** Records visitors of pages on a day; a repeated visit counts once. */
export async function insertVisitorHashes(
  day: Day,
  visits: readonly { page: string; hash: Buffer }[],
): Promise<void> {
  if (visits.length === 0) return;
  const rows = visits.map(({ page, hash }) => ({ page, hash: hash.toString("hex") }));
  await db().execute(sql`
    insert into ${visitorHashes} (day, page, hash)
    select ${day}::date, page, decode(hash, 'hex')
    from json_to_recordset(${JSON.stringify(rows)}::json) given (page text, hash text)
    on conflict do nothing`);
}

/** How long a day's count may take, in milliseconds: longer than what visitors wait for. */
const COUNT_TIMEOUT_MS = 600_000;

/** Replaces the hashes and salts of the days before `today` by their counts, which takes a connection of its own. */
export async function countFinishedDays(today: Day): Promise<void> {
  const own = getDatabase().reopen({
    max: 1,
    statementTimeout: COUNT_TIMEOUT_MS,
    onQuery: undefined,
  });
  try {
    await countDaysBefore(today, own.db);
  } finally {
    await own.close();
  }
}

async function countDaysBefore(today: Day, executor: Executor): Promise<void> {
  await executor.transaction(async (tx) => {
    // other instances wait here, and then find nothing left to count
    await tx.execute(sql`lock table ${visitorSalts} in share row exclusive mode`);
    await tx.execute(sql`
      insert into ${dailyVisitors} (day, page, visitors)
      select day, page, count(*) from ${visitorHashes} where day < ${today}::date group by day, page
      union all
      select day, ${WHOLE_SITE}, count(distinct hash) from ${visitorHashes}
        where day < ${today}::date group by day
      on conflict do nothing`);
    await tx.delete(visitorHashes).where(lt(visitorHashes.day, today));
    // one of a later day than tomorrow was made by a clock that ran ahead
    await tx.execute(sql`
      delete from ${visitorSalts} where day not between ${today}::date and ${today}::date + 2`);
  });
}

/** The visitors of each page on each day since `since`, including the days that are not over; WHOLE_SITE for all. */
export async function findDailyVisitors(
  since: Day,
  executor: Executor = db(),
): Promise<{ day: Day; page: string; visitors: number }[]> {
  const { day, page, hash } = visitorHashes;
  const [finished, pages, whole] = await Promise.all([
    executor.select().from(dailyVisitors).where(gte(dailyVisitors.day, since)),
    executor
      .select({ day, page, visitors: count() })
      .from(visitorHashes)
      .where(gte(day, since))
      .groupBy(day, page),
    executor
      .select({ day, visitors: countDistinct(hash) })
      .from(visitorHashes)
      .where(and(gte(day, since)))
      .groupBy(day),
  ]);
  return [...finished, ...pages, ...whole.map((row) => ({ ...row, page: WHOLE_SITE }))];
}
