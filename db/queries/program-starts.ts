import { eq, sql } from "drizzle-orm";
import { db } from "../client";
import { programStarts } from "../schema";

/** Records that the program has started at a place, a hash that names the machine and its DATA_DIR. */
export async function insertProgramStart({
  id,
  place,
}: {
  id: string;
  place: string;
}): Promise<void> {
  await db().insert(programStarts).values({ id, place });
}

/** Records that a program was stopped in good order. */
export async function recordProgramStop(id: string): Promise<void> {
  await db().update(programStarts).set({ stoppedAt: sql`now()` }).where(eq(programStarts.id, id));
}
