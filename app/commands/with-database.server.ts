import { openDatabase } from "~/server/open-database.server";

/**
 * Runs a command's work on the site's database, with or without a running site; with `purpose` "serve", only without.
 * Unless `migrate` is false, the database is brought up to this release first.
 */
export async function withDatabase(
  work: () => Promise<void>,
  {
    purpose = "command",
    migrate = true,
  }: { purpose?: "serve" | "command"; migrate?: boolean } = {},
): Promise<void> {
  const database = await openDatabase(purpose, undefined, { migrate });
  try {
    await work();
  } finally {
    await database.close();
  }
}
