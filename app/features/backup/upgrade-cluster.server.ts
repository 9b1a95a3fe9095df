import { readdir, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { env } from "~/env.server";
import { log } from "~/observability/log.server";
import { connectDatabase, type Database } from "~db/client";
import { digestDatabase } from "~db/dump/digest";
import { clusterMajor, openEmbeddedPostgres } from "~db/embedded";
import { embeddedMajor } from "~db/embedded/binaries";
import { clearStaging, swapClusters } from "~db/embedded/cluster-swap";
import { downloadFolder, findOtherMajor } from "~db/embedded/other-major";
import { finishSwap } from "~db/embedded/upgraded-cluster";
import { OperatorError } from "~db/operator-error";
import { backupFolder, upgradeFolder } from "./backup-stores.server";
import { restoreRows } from "./restore-backup.server";
import { saveUpgradeBackup } from "./upgrade-backup.server";

/** Size of a new cluster without rows, including its WAL, in bytes. */
const EMPTY_CLUSTER_BYTES = 350_000_000;
/** A reloaded table is usually smaller than before, but its WAL is added. */
const NEW_PER_OLD = 1.2;

/** The result: nothing to do, or the two majors, the backup, and the old cluster that is kept. */
export type ClusterUpgrade =
  | { kind: "current"; major: number }
  | { kind: "moved"; from: number; to: number; backup: string; place: string; kept: string };

/**
 * Moves the embedded database to this program's PostgreSQL major. Makes a verified backup, fills a new cluster from
 * it and compares every row; only then replaces the old cluster. The old one is kept, and is unchanged if the program
 * is killed before that. Throws an OperatorError.
 */
export async function upgradeCluster(
  binaries: string | undefined,
  say: (sentence: string) => void,
): Promise<ClusterUpgrade> {
  const { DATABASE_URL, DATA_DIR } = env();
  if (DATABASE_URL) {
    throw new OperatorError(
      "The database at DATABASE_URL is not the embedded one: upgrade it with its own means, or move it by 'backup' and 'restore' (docs/operating.md).",
    );
  }
  if ((await clusterMajor(DATA_DIR)) === null) await finishSwap(DATA_DIR).catch(() => {});
  const from = await clusterMajor(DATA_DIR);
  const to = await embeddedMajor();
  if (from === null) {
    throw new OperatorError(
      `There is no embedded database in DATA_DIR ${DATA_DIR}: name the folder that the site uses.`,
    );
  }
  if (from === to) return { kind: "current", major: to };
  await requireRoom(DATA_DIR);
  const old = await openEmbeddedPostgres({
    dataDir: DATA_DIR,
    purpose: "serve",
    programs: (user) => findOtherMajor(from, { dataDir: DATA_DIR, user, binaries, log: say }),
    log: (level, message) => log()[level](message),
  });
  const staging = await clearStaging(DATA_DIR);
  const store = backupFolder() ?? upgradeFolder();
  let backup: string;
  try {
    backup = await using(old.url, async (database) => {
      say(`Backing up the database of PostgreSQL ${from} …`);
      const saved = await saveUpgradeBackup(store, database, `postgresql-${from}`);
      const fresh = await openEmbeddedPostgres({ dataDir: staging, purpose: "serve" });
      try {
        say(`Filling a new database of PostgreSQL ${to} …`);
        await using(fresh.url, (empty) => restoreRows(saved, () => store.read(saved.name), empty));
        say("Comparing every row …");
        await using(fresh.url, (filled) => requireEqual(database, filled));
      } finally {
        await fresh.stop();
      }
      return saved.name;
    });
  } catch (error) {
    await clearStaging(DATA_DIR).catch(() => {});
    throw error;
  } finally {
    await old.stop();
  }
  const kept = await swapClusters(DATA_DIR, from);
  await rm(downloadFolder(DATA_DIR), { recursive: true, force: true });
  return { kind: "moved", from, to, backup, place: store.label, kept };
}

async function using<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await connectDatabase(url, { setting: "the embedded PostgreSQL" });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Throws an OperatorError unless the new database has all rows of the old one, including later ones. */
export async function requireEqual(old: Database, fresh: Database): Promise<void> {
  // the old one last, because a command of the older release may still write to it
  const after = await digestDatabase(fresh);
  const before = await digestDatabase(old);
  const different = [...before.keys()].filter((name) => before.get(name) !== after.get(name));
  if (different.length === 0 && before.size === after.size) return;
  throw new OperatorError(
    `The new database is not the same as the old one (${different.join(", ")}): a command of the older release may have written to it in the meantime. The old one is as it was; run this again.`,
  );
}

/** Throws an OperatorError unless DATA_DIR has room for a second cluster and the backup. */
async function requireRoom(dataDir: string): Promise<void> {
  const size = await bytesIn(join(dataDir, "postgres", "base"));
  const needed = Math.ceil(size * (1 + NEW_PER_OLD)) + EMPTY_CLUSTER_BYTES;
  const { bavail, bsize } = await statfs(dataDir);
  if (bavail * bsize >= needed) return;
  throw new OperatorError(
    `There isn't enough space in DATA_DIR ${dataDir}: for a second database and a backup ${megabytes(needed)} are needed, and ${megabytes(bavail * bsize)} are free. Free up space, or move DATA_DIR to a larger disk. Nothing was changed.`,
  );
}

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    // a running server may remove files meanwhile
    const file = await stat(join(entry.parentPath, entry.name)).catch(() => null);
    bytes += file?.size ?? 0;
  }
  return bytes;
}

const megabytes = (bytes: number) => `${Math.ceil(bytes / 1_000_000)} MB`;
