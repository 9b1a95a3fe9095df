import { getDatabase, setDatabase } from "~db/client";

/** Does something while the database cannot be reached. */
export async function withoutDatabase<T>(run: () => Promise<T>): Promise<T> {
  const database = getDatabase();
  setDatabase(null);
  try {
    return await run();
  } finally {
    setDatabase(database);
  }
}
