import { sql } from "drizzle-orm";
import { type Executor, getDatabase } from "../client";

/** Asks the database for nothing but an answer; rejects if none comes. */
export async function pingDatabase(executor: Executor = getDatabase().db): Promise<void> {
  await executor.execute(sql`select 1`);
}
