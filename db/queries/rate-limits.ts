import { lt, type SQL, sql } from "drizzle-orm";
import { type Executor, getDatabase } from "../client";
import { preparedStatement } from "../prepared-query";
import { rateLimits } from "../schema";

/** An attempt as one of its limits counts it. */
export type CountedAttempt = {
  key: string;
  /** Attempts allowed in `seconds`. */
  points: number;
  seconds: number;
};

/** What is counted for a key now, with this attempt. */
export type Count = {
  points: number;
  /** Milliseconds until the count is reset. */
  wait: number;
};

/**
 * Counts an attempt for each of one or several keys, which differ, up to the first whose limit it exceeds; returns as many
 * counts as it made.
 *
 * One statement, since each one is a commit: and that does not wait for the disk, nor for a standby. A server that dies
 * forgets the attempts of half a second at most.
 */
export async function countAttempts(
  attempts: readonly CountedAttempt[],
  executor: Executor = getDatabase().db,
): Promise<Count[]> {
  const statement =
    statements[attempts.length] ?? preparedStatement<Count>(() => countingOf(attempts.length));
  statements[attempts.length] = statement;
  const values = attempts.flatMap(({ key, points, seconds }, index) => [
    [`key_${index}`, key],
    [`points_${index}`, points],
    [`seconds_${index}`, seconds],
  ]);
  const rows = await statement(executor, Object.fromEntries(values));
  return rows.map(({ points, wait }) => ({ points, wait }));
}

/** By the number of attempts that they count. */
const statements: ReturnType<typeof preparedStatement<Count>>[] = [];

function countingOf(attempts: number): SQL {
  const indexes = [...Array(attempts).keys()];
  const steps = indexes.map((index) => {
    const before = index - 1;
    const isAllowed = sql`from ${name(before)} where points <= ${value("points", before)}::int`;
    return sql`${name(index)} as (${counting(index, index === 0 ? sql`` : isAllowed)})`;
  });
  const counts = indexes.map(
    (index) => sql`select ${sql.raw(`${index}`)} as step, * from ${name(index)}`,
  );
  return sql`
    with ${sql.join(steps, sql`, `)}
    select points, extract(epoch from expire - now())::float8 * 1000 as wait,
      set_config('synchronous_commit', 'off', true)
    from (${sql.join(counts, sql` union all `)}) counted order by step`;
}

const name = (index: number) => sql.raw(`attempt_${index}`);
const value = (of: "key" | "points" | "seconds", index: number) =>
  sql.placeholder(`${of}_${index}`);

/** The statement that counts for one key, if what `condition` selects from has a row. */
function counting(index: number, condition: SQL): SQL {
  return sql`
    insert into rate_limits as known (key, points, expire)
    select ${value("key", index)}::text, 1,
      now() + ${value("seconds", index)}::int * interval '1 second' ${condition}
    on conflict (key) do update set
      points = case when known.expire <= now() then 1 else known.points + 1 end,
      expire = case when known.expire <= now() then excluded.expire else known.expire end
    returning points, expire`;
}

/** Deletes counts that expired before `now`. */
export async function deleteExpiredRateLimits(
  now: Date,
  executor: Executor = getDatabase().db,
): Promise<void> {
  await executor.delete(rateLimits).where(lt(rateLimits.expire, now));
}
