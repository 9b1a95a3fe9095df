import { eq, lt, sql } from "drizzle-orm";
import { type Executor, getDatabase } from "../client";
import { programStarts } from "../schema";

/** Records that the program has started at a place, a hash that names the machine and its DATA_DIR. */
export async function insertProgramStart(
  { id, place }: { id: string; place: string },
  executor: Executor = getDatabase().db,
): Promise<void> {
  await executor.insert(programStarts).values({ id, place });
}

/** Records that a program was stopped in good order. */
export async function recordProgramStop(
  id: string,
  executor: Executor = getDatabase().db,
): Promise<void> {
  await executor
    .update(programStarts)
    .set({ stoppedAt: sql`now()` })
    .where(eq(programStarts.id, id));
}

/** Deletes the starts before a time. */
export async function deleteOldProgramStarts(
  before: Date,
  executor: Executor = getDatabase().db,
): Promise<void> {
  await executor.delete(programStarts).where(lt(programStarts.startedAt, before));
}
