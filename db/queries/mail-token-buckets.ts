import { sql } from "drizzle-orm";
import type { Executor } from "../client";
import { mailTokenBuckets } from "../schema";

/** Half a second's tokens may be spent at once. */
const burstOf = (rate: number) => Math.max(1, rate / 2);

/** Seconds since the last refill; none since one in the future, by a clock that ran ahead. */
const REFILLED_S = sql.raw("greatest(0, extract(epoch from clock_timestamp() - refilled_at))");

/**
 * Takes up to `wanted` tokens from a bucket that gains `rate` a second, by the database's clock, and returns their
 * number. Unused tokens only make sending slower.
 */
export async function takeMailTokens(
  key: string,
  rate: number,
  wanted: number,
  executor: Executor,
): Promise<number> {
  const take = () =>
    executor.execute<{ granted: number }>(sql`
      with bucket as (
        select key, least(${burstOf(rate)}::float8,
          tokens + ${REFILLED_S} * ${rate}::float8) as available
        from ${mailTokenBuckets} where key = ${key} for update
      )
      update ${mailTokenBuckets}
      set tokens = available - least(${wanted}::int, greatest(0, floor(available))),
        refilled_at = clock_timestamp()
      from bucket where mail_token_buckets.key = bucket.key
      returning least(${wanted}::int, greatest(0, floor(available)))::int as granted`);
  const [taken] = await take();
  if (taken) return taken.granted;
  await executor.insert(mailTokenBuckets).values(fullBucket(key, rate)).onConflictDoNothing();
  return (await take())[0]?.granted ?? 0;
}

/** Takes tokens for mail that never waits. The bucket may go below zero, so that the rate holds overall. */
export async function spendMailTokens(
  key: string,
  rate: number,
  spent: number,
  executor: Executor,
): Promise<void> {
  await executor.execute(sql`
    update ${mailTokenBuckets}
    set tokens = least(${burstOf(rate)}::float8,
        tokens + ${REFILLED_S} * ${rate}::float8) - ${spent}::int,
      refilled_at = clock_timestamp()
    where key = ${key}`);
}

function fullBucket(key: string, rate: number) {
  return { key, tokens: burstOf(rate), refilledAt: sql`clock_timestamp()` };
}
