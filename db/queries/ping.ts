import { sql } from "drizzle-orm";
import { type Executor, getDatabase } from "../client";

/** Runs a trivial query; rejects if the database does not respond. */
export async function pingDatabase(executor: Executor = getDatabase().db): Promise<void> {
  await executor.execute(sql`select 1`);
}
