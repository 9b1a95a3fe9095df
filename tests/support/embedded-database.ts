import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Database, openDatabase } from "~db/client";
import { formatDatabaseUrl } from "~db/database-url";
import { SUPERUSER } from "~db/embedded/cluster";
import { readServerStatus } from "~db/embedded/postmaster-pid";
import { DATABASE } from "~db/embedded/roles";

/** The embedded server of a running program with this data directory: its superuser's address, and its pid. */
export async function embeddedDatabase(
  dataDir: string,
  database = DATABASE,
): Promise<{ url: string; pid: number }> {
  const directory = join(dataDir, "postgres");
  const password = (await readFile(join(directory, "golden-path.password"), "utf8")).trim();
  const status = await readServerStatus(directory);
  if (!status?.address) throw new Error(`No server runs in ${directory}.`);
  const superuser = { name: SUPERUSER, password };
  return { url: formatDatabaseUrl(status.address, superuser, database), pid: status.pid };
}

/** Opens it as superuser, for tests to inspect and break it; the caller closes it. */
export async function openEmbeddedDatabase(dataDir: string, database?: string): Promise<Database> {
  return openDatabase((await embeddedDatabase(dataDir, database)).url);
}
