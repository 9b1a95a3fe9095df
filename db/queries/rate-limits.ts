import { lt, type SQL, sql } from "drizzle-orm";
import { type Executor, getDatabase } from "../client";
import { preparedStatement } from "../prepared-query";
import { rateLimits } from "../schema";
import { asynchronousCommit } from "./asynchronous-commit";

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
  const rows = await statementFor(attempts)(
    executor,
    Object.fromEntries(attempts.map(({ key }, index) => [`key_${index}`, key])),
  );
  return rows.map(({ points, wait }) => ({ points, wait }));
}

type Limit = Pick<CountedAttempt, "points" | "seconds">;

/**
 * By the limits that they count for, of which there are as many combinations as forms and ways to them. The limits are part of a
 * statement's text, since every parameter is work for the driver with every post.
 */
const statements = new Map<string, ReturnType<typeof preparedStatement<Count>>>();

function statementFor(limits: readonly Limit[]) {
  const combination = limits.map(({ points, seconds }) => `${points}/${seconds}`).join();
  let statement = statements.get(combination);
  if (!statement) {
    statement = preparedStatement<Count>(() => countingOf(limits));
    statements.set(combination, statement);
  }
  return statement;
}

function countingOf(limits: readonly Limit[]): SQL {
  const steps = limits.map((limit, index) => {
    const before = limits[index - 1];
    const isAllowed = before
      ? sql`from ${name(index - 1)} where points <= ${integer(before.points)}`
      : sql``;
    return sql`${name(index)} as (${counting(limit, index, isAllowed)})`;
  });
  const counts = limits.map(
    (_limit, index) => sql`select ${integer(index)} as step, * from ${name(index)}`,
  );
  return sql`
    with ${sql.join(steps, sql`, `)}
    select points, extract(epoch from expire - now())::float8 * 1000 as wait, ${asynchronousCommit}
    from (${sql.join(counts, sql` union all `)}) counted order by step`;
}

const name = (index: number) => sql.raw(`attempt_${index}`);
const integer = (value: number) => sql.raw(BigInt(value).toString());

/** The statement that counts for one key, if what `condition` selects from has a row. */
function counting({ seconds }: Limit, index: number, condition: SQL): SQL {
  return sql`
    insert into rate_limits as known (key, points, expire)
    select ${sql.placeholder(`key_${index}`)}::text, 1, now() + ${integer(seconds)} * interval '1 second' ${condition}
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
