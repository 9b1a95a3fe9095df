import { sql } from "drizzle-orm";
import { getDatabase } from "../client";

/** Runs a trivial query; rejects if the database does not respond. */
export async function pingDatabase(): Promise<void> {
  await getDatabase().db.execute(sql`select 1`);
}
