import { sql } from "drizzle-orm";
import { db } from "../client";

/** Runs a trivial query; rejects if the database does not respond. */
export async function pingDatabase(): Promise<void> {
  await db().execute(sql`select 1`);
}
