import { eq, inArray, sql } from "drizzle-orm";
import { type Executor, getDatabase } from "../client";
import { operatorSignals } from "../schema";

/** Adds to a signal's count. */
export async function addToSignal(
  name: string,
  count: number,
  executor: Executor = getDatabase().db,
): Promise<void> {
  await executor.execute(sql`
    insert into ${operatorSignals} as known (name, count, first_at, last_at)
    values (${name}, ${count}, now(), now())
    on conflict (name) do update set count = least(known.count::bigint + excluded.count, 1000000000),
      last_at = excluded.last_at`);
}

/** A signal with its count and times; null if it was not counted. */
export async function findSignal(
  name: string,
): Promise<typeof operatorSignals.$inferSelect | null> {
  const [signal] = await getDatabase()
    .db.select()
    .from(operatorSignals)
    .where(eq(operatorSignals.name, name));
  return signal ?? null;
}

/** Sets the time of a signal that marks how far something has come. */
export async function setSignalTime(name: string, at: Date): Promise<void> {
  const values = { name, count: 1, firstAt: at, lastAt: at };
  await getDatabase()
    .db.insert(operatorSignals)
    .values(values)
    .onConflictDoUpdate({ target: operatorSignals.name, set: values });
}

/** Removes signals with their counts. */
export async function resetSignals(
  names: readonly string[],
  executor: Executor = getDatabase().db,
): Promise<void> {
  await executor.delete(operatorSignals).where(inArray(operatorSignals.name, [...names]));
}
