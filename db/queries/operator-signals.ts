import { inArray, sql } from "drizzle-orm";
import { db, type Executor } from "../client";
import { operatorSignals } from "../schema";

/** Adds to a signal's count. */
export async function addToSignal(
  name: string,
  count: number,
  executor: Executor = db(),
): Promise<void> {
  await executor.execute(sql`
    insert into ${operatorSignals} as known (name, count, first_at, last_at)
    values (${name}, ${count}, now(), now())
    on conflict (name) do update set count = least(known.count::bigint + excluded.count, 1000000000),
      last_at = excluded.last_at`);
}

/** Signals with their counts and times, of those that were counted. */
export async function findSignals(names: readonly string[]) {
  return db()
    .select()
    .from(operatorSignals)
    .where(inArray(operatorSignals.name, [...names]));
}

/** Removes signals with their counts. */
export async function resetSignals(
  names: readonly string[],
  executor: Executor = db(),
): Promise<void> {
  await executor.delete(operatorSignals).where(inArray(operatorSignals.name, [...names]));
}
