import { sql } from "drizzle-orm";
import { type Executor, getDatabase } from "../client";

/** The version of the PostgreSQL that serves the site, such as `18.1`, and the size of its database. */
export async function readServerState(
  executor: Executor = getDatabase().db,
): Promise<{ version: string; megabytes: number }> {
  const [row] = await executor.execute<{ version: string; megabytes: number }>(sql`
    select split_part(current_setting('server_version'), ' ', 1) as version,
      ceil(pg_database_size(current_database()) / 1e6)::int as megabytes`);
  return row ?? { version: "", megabytes: 0 };
}
