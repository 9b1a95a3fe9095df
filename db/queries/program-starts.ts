import { eq, lt, sql } from "drizzle-orm";
import { getDatabase } from "../client";
import { programStarts } from "../schema";

/** Records that the program has started at a place, a hash that names the machine and its DATA_DIR. */
export async function insertProgramStart({
  id,
  place,
}: {
  id: string;
  place: string;
}): Promise<void> {
  await getDatabase().db.insert(programStarts).values({ id, place });
}

/** Records that a program was stopped in good order. */
export async function recordProgramStop(id: string): Promise<void> {
  const { db } = getDatabase();
  await db.update(programStarts).set({ stoppedAt: sql`now()` }).where(eq(programStarts.id, id));
}

/** Deletes the starts before a time. */
export async function deleteOldProgramStarts(before: Date): Promise<void> {
  await getDatabase().db.delete(programStarts).where(lt(programStarts.startedAt, before));
}
