import { type SQL, sql } from "drizzle-orm";
import { db } from "../client";
import { CLOCK_TOLERANCE } from "../clock";

/** An attempt under one of its limits. */
export type CountedAttempt = {
  key: string;
  /** Attempts allowed in `seconds`. */
  points: number;
  seconds: number;
};

/** The count of a key, including this attempt. */
export type Count = {
  points: number;
  /** Milliseconds until the count is reset. */
  wait: number;
};

/**
 * Counts an attempt for each of these distinct keys, up to the first whose limit it exceeds; returns the counts it
 * made.
 *
 * It is one statement, since each statement is a commit.
 */
export async function countAttempts(attempts: readonly CountedAttempt[]): Promise<Count[]> {
  const steps = attempts.map((attempt, index) => {
    const before = attempts[index - 1];
    const isAllowed = before
      ? sql`from ${name(index - 1)} where points <= ${before.points}::int`
      : sql``;
    return sql`${name(index)} as (${counting(attempt, isAllowed)})`;
  });
  const counts = attempts.map(
    (_, index) => sql`select ${sql.raw(`${index}`)} as step, * from ${name(index)}`,
  );
  const rows = await db().execute<Count>(sql`
    with ${sql.join(steps, sql`, `)}
    select points, extract(epoch from expire - now())::float8 * 1000 as wait
    from (${sql.join(counts, sql` union all `)}) counted order by step`);
  return [...rows];
}

const name = (index: number) => sql.raw(`attempt_${index}`);

/**
 * A count that would last longer than a new one was begun by a clock that ran ahead; a little longer, by a statement that
 * began later and counted first.
 */
const isOver = sql`known.expire not between now() and excluded.expire + ${CLOCK_TOLERANCE}`;

/** The statement that counts for one key, if what `condition` selects from has a row. */
function counting({ key, seconds }: CountedAttempt, condition: SQL): SQL {
  return sql`
    insert into rate_limits as known (key, points, expire)
    select ${key}::text, 1, now() + ${seconds}::float8 * interval '1 second' ${condition}
    on conflict (key) do update set
      points = case when ${isOver} then 1 else known.points + 1 end,
      expire = case when ${isOver} then excluded.expire else known.expire end
    returning points, expire`;
}
