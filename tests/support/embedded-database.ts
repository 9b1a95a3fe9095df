import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Database, openDatabase } from "~db/client";
import { DATABASE } from "~db/embedded/attachment";
import { SUPERUSER } from "~db/embedded/cluster";
import { parseServerStatus } from "~db/embedded/postmaster-pid";

/** The embedded database of a running program, by its data directory: its address and its server's pid. */
export function embeddedDatabase(dataDir: string): { url: string; pid: number } {
  const directory = join(dataDir, "postgres");
  const password = readFileSync(join(directory, "golden-path.password"), "utf8").trim();
  const { port, pid } = parseServerStatus(readFileSync(join(directory, "postmaster.pid"), "utf8"));
  return { url: `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${DATABASE}`, pid };
}

/** Opens it, to look into it and to break it; the caller closes it. */
export function openEmbeddedDatabase(dataDir: string): Database {
  return openDatabase(embeddedDatabase(dataDir).url);
}
