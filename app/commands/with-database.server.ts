import { openDatabase } from "~/server/open-database.server";

/** Runs a command's work on the site's database, with or without a running site. */
export async function withDatabase(work: () => Promise<void>): Promise<void> {
  const database = await openDatabase("command");
  try {
    await work();
  } finally {
    await database.close();
  }
}
