import { rmSync } from "node:fs";
import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { openDatabase } from "~db/client";
import { type EmbeddedPostgres, openEmbeddedPostgres } from "~db/embedded";
import { isAlive } from "~db/embedded/processes";
import { SITE_ROLE } from "~db/embedded/roles";
import { migrateDatabase } from "~db/migrate";
import { openConnection } from "~db/open-connection";
import { embeddedDatabase } from "./embedded-database";
import { fastFolder } from "./fast-folder.mjs";

/** Environment variable with the server's address, which names the migrated template database… */
const SERVER = "GOLDEN_PATH_TEST_SERVER";
/** …and the one with its superuser's address, which clones it. */
const SUPERUSER = "GOLDEN_PATH_TEST_SUPERUSER";
const DIRECTORY_PREFIX = "golden-path-test-server-";

/** Trades durability for speed; the data is worthless after a power cut. */
const SETTINGS = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: "200",
  // the template is cloned while other clones are in use
  autovacuum: "off",
};

export type TestDatabase = {
  /** For the site's own role, which owns it. */
  url: string;
  /** For the server's superuser. */
  superuserUrl: string;
  /** Terminates the database's sessions and drops it. */
  drop: () => Promise<void>;
};

let count = 0;

/** Creates a database on the test run's server: migrated without rows, or without tables too. */
export async function createTestDatabase({ empty = false } = {}): Promise<TestDatabase> {
  const server = process.env[SERVER];
  if (!server)
    throw new Error(
      "The test server is not running: is tests/support/postgres.ts the globalSetup?",
    );
  const template = empty ? "template0" : new URL(server).pathname.slice(1);
  const name = `test_${process.pid}_${++count}_${Date.now().toString(36)}`;
  await administer(`create database ${name} template ${template} owner ${SITE_ROLE}`);
  const [url, superuserUrl] = [server, process.env[SUPERUSER] ?? ""].map((address) => {
    const parts = new URL(address);
    parts.pathname = `/${name}`;
    return parts.href;
  }) as [string, string];
  return {
    url,
    superuserUrl,
    drop: () => administer(`drop database if exists ${name} with (force)`),
  };
}

/** Starts one PostgreSQL for the run, in a folder that its user can access; stopped at the end of the run. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  // the projects of a run share a server, which the first one starts
  if (process.env[SERVER]) return undefined;
  await removeAbandoned();
  const dataDir = await mkdtemp(join(fastFolder(), `${DIRECTORY_PREFIX}${process.pid}-`));
  await chmod(dataDir, 0o711);
  const server = await openEmbeddedPostgres({ dataDir, purpose: "serve", settings: SETTINGS });
  // the server would outlive a runner that is killed
  const forget = killWithRunner(server, dataDir);

  const stop = async () => {
    delete process.env[SERVER];
    await server.stop();
    forget();
    await rm(dataDir, { recursive: true, force: true });
  };
  const template = openDatabase(server.url);
  try {
    await migrateDatabase(template);
    await template.close();
  } catch (error) {
    await template.close();
    await stop();
    throw error;
  }
  process.env[SERVER] = server.url;
  process.env[SUPERUSER] = (await embeddedDatabase(dataDir, "postgres")).url;
  return stop;
}

async function administer(statement: string): Promise<void> {
  const url = process.env[SUPERUSER] ?? "";
  const connection = await openConnection({ url, applicationName: "golden-path-tests" });
  try {
    await connection.query(statement, [], { prepare: false, asArrays: false, timeout: 30_000 });
  } finally {
    await connection.end();
  }
}

/** Ends the server with this process, even if a signal ends the run; the returned function undoes that. */
function killWithRunner(server: EmbeddedPostgres, dataDir: string): () => void {
  const kill = () => {
    try {
      process.kill(server.server().pid, "SIGQUIT");
      rmSync(dataDir, { recursive: true, force: true });
    } catch {
      // already gone, or still being written: the next run removes the rest
    }
  };
  const killAndEnd = (signal: NodeJS.Signals) => {
    kill();
    forget();
    process.kill(process.pid, signal);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const forget = () => {
    process.off("exit", kill);
    for (const signal of signals) process.off(signal, killAndEnd);
  };
  process.once("exit", kill);
  for (const signal of signals) process.once(signal, killAndEnd);
  return forget;
}

/** Stops and removes the servers of earlier runs that were killed. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(fastFolder())) {
    if (!name.startsWith(DIRECTORY_PREFIX)) continue;
    const pid = Number.parseInt(name.slice(DIRECTORY_PREFIX.length), 10);
    if (!(pid > 0) || (await isAlive(pid))) continue;
    const dataDir = join(fastFolder(), name);
    const server = await openEmbeddedPostgres({ dataDir, purpose: "command" }).catch(() => null);
    await server?.stop();
    await rm(dataDir, { recursive: true, force: true }).catch(() => {});
  }
}
