import { sql } from "drizzle-orm";
import { getDatabase, setDatabase } from "~db/client";

/** Runs work while the database cannot be reached. */
export async function withoutDatabase<T>(run: () => Promise<T>): Promise<T> {
  const database = getDatabase();
  setDatabase(null);
  try {
    return await run();
  } finally {
    setDatabase(database);
  }
}

/** Runs work while a table cannot be read. */
export async function withoutTable<T>(table: string, run: () => Promise<T>): Promise<T> {
  const rename = (from: string, to: string) =>
    getDatabase().db.execute(
      sql`alter table ${sql.identifier(from)} rename to ${sql.identifier(to)}`,
    );
  await rename(table, "away");
  try {
    return await run();
  } finally {
    await rename("away", table);
  }
}
