import { and, gt, lte, not, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";

/** How far ahead of a clock a time may be, in milliseconds: the clocks of the machines differ. */
const TOLERANCE_MS = 5 * 60_000;

/** The same as PostgreSQL's interval. */
export const CLOCK_TOLERANCE = sql.raw(`interval '${TOLERANCE_MS} milliseconds'`);

/**
 * Whether a time was at most `ms` ago. A time in the future counts as none: it was written by a clock that ran ahead and
 * has been put right since.
 */
export function isWithin(time: Date | null, ms: number, now = new Date()): boolean {
  const age = time === null ? Number.POSITIVE_INFINITY : now.getTime() - time.getTime();
  return age < ms && age >= -TOLERANCE_MS;
}

/** The same of a column, by the caller's clock: whether its time is after `since`. */
export function isSince(column: PgColumn, since: Date, now = new Date()): SQL | undefined {
  return and(gt(column, since), lte(column, new Date(now.getTime() + TOLERANCE_MS)));
}

/** Whether a column's time is not after `since`, or in the future; unknown for null. */
export function isNotSince(column: PgColumn, since: Date, now = new Date()): SQL {
  return not(sql`(${isSince(column, since, now)})`);
}

/** Whether a column's time was at most `seconds` ago, by the database's clock. */
export function isWithinSeconds(column: PgColumn | SQL, seconds: number): SQL {
  return sql`(${column} > now() - ${seconds} * interval '1 second' and ${column} <= now() + ${CLOCK_TOLERANCE})`;
}
