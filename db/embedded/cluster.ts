import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chown, mkdtemp, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { diskFull, explainDataDirectoryFailure, isDiskFull } from "../data-directory";
import { OperatorError } from "../operator-error";
import type { Binaries } from "./binaries";
import { syncDirectory } from "./sync-directory";
import { asUser, type SystemUser } from "./system-user";
import { finishSwap } from "./upgraded-cluster";

export const SUPERUSER = "golden_path";

/** In the data directory itself, so that it is created, moved and backed up with the database. */
const PASSWORD_FILE = "golden-path.password";
const STAGING_PREFIX = "postgres.new-";
const STAGING_LIFETIME_MS = 10 * 60_000;

export type Cluster = {
  dataDir: string;
  /** PostgreSQL's data directory, `DATA_DIR/postgres`. */
  directory: string;
  logFile: string;
  binaries: Binaries;
  user: SystemUser;
  /** Server settings that override those of the cluster's postgresql.conf. */
  settings: Record<string, string>;
};

/** Initial postgresql.conf, which the operator may tune: modest memory, PostgreSQL's default durability. */
const INITIAL_SETTINGS: Record<string, string> = {
  max_connections: "50",
  shared_buffers: "64MB",
  maintenance_work_mem: "32MB",
  max_wal_size: "256MB",
  io_method: "sync",
  max_logical_replication_workers: "0",
  jit: "off",
  // Ends the session of a program that was killed during a statement or a lock wait.
  client_connection_check_interval: "10s",
  // The program logs failed statements itself; the server's log lines would contain email addresses.
  log_min_messages: "log",
  log_error_verbosity: "terse",
  log_min_error_statement: "panic",
  log_checkpoints: "off",
};

/** The environment of PostgreSQL's programs: none of this program's variables, which include secrets. */
export const CHILD_ENVIRONMENT: NodeJS.ProcessEnv | undefined =
  process.platform === "win32"
    ? undefined
    : ({
        LC_ALL: "C",
        TZ: "UTC",
        PATH: "/usr/local/bin:/usr/bin:/bin",
      } as object as NodeJS.ProcessEnv);

/**
 * Creates the cluster if there is none: initdb into a staging folder beside it, then an atomic rename, so
 * that a cluster is either complete or absent. Of concurrent programs one wins, and the others use its
 * cluster. Throws an OperatorError for a full disk, another folder in its place, a cluster of another
 * PostgreSQL version, and a failure of initdb.
 */
export async function ensureCluster(cluster: Cluster): Promise<void> {
  if (!clusterExists(cluster)) await finishSwap(cluster.dataDir);
  if (!clusterExists(cluster)) {
    await removeOldStaging(cluster.dataDir);
    await createCluster(cluster);
  }
  const version = await readFile(join(cluster.directory, "PG_VERSION"), "utf8");
  const { majorVersion } = cluster.binaries;
  if (Number(version) === majorVersion) return;
  const found = `The database in ${cluster.directory} was created by PostgreSQL ${version.trim()}, but this program includes PostgreSQL ${majorVersion}`;
  throw new OperatorError(
    Number(version) < majorVersion
      ? `${found}: 'golden-path upgrade-database' moves it there, and keeps the old one (docs/operating.md). Nothing was changed.`
      : `${found}: start the newer release again, or go back to before its upgrade: restore the backup that was made before it into a new DATA_DIR (docs/operating.md). Nothing was changed.`,
  );
}

/** The superuser's password of an existing cluster. */
export async function readPassword(cluster: Pick<Cluster, "directory">): Promise<string> {
  const file = join(cluster.directory, PASSWORD_FILE);
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    throw new OperatorError(
      `The password file of the embedded database, ${file}, cannot be read.`,
      {
        cause: error,
      },
    );
  }
}

async function createCluster(cluster: Cluster): Promise<void> {
  const { dataDir, directory, user } = cluster;
  const staging = await mkdtemp(join(dataDir, STAGING_PREFIX)).catch((error) => {
    throw explainDataDirectoryFailure(dataDir, error);
  });
  try {
    const passwordFile = join(staging, "password");
    await writeDurably(passwordFile, `${randomBytes(24).toString("base64url")}\n`);
    if (user !== null) {
      await chown(passwordFile, user.uid, user.gid);
      await chown(staging, user.uid, user.gid);
    }
    await runInitdb(cluster, join(staging, "cluster"), passwordFile);
    await rename(passwordFile, join(staging, "cluster", PASSWORD_FILE));
    await syncDirectory(join(staging, "cluster"));
    await rename(join(staging, "cluster"), directory);
    await syncDirectory(dataDir);
  } catch (error) {
    if (clusterExists(cluster)) return;
    if (await isDiskFull(dataDir).catch(() => false)) throw diskFull(dataDir, error);
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOTEMPTY" || code === "EEXIST" || code === "ENOTDIR") {
      throw new OperatorError(
        `${directory} exists but is not a PostgreSQL data directory: move it away, or choose another DATA_DIR.`,
        { cause: error },
      );
    }
    throw explainDataDirectoryFailure(dataDir, error);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function runInitdb(cluster: Cluster, target: string, passwordFile: string): Promise<void> {
  const { binaries, user, settings } = cluster;
  const parameters = [
    `--pgdata=${target}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    // The built-in provider sorts and folds case the same way on every system.
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C",
    ...Object.entries(INITIAL_SETTINGS).flatMap(([name, value]) => ["--set", `${name}=${value}`]),
    ...(settings.fsync === "off" ? ["--no-sync"] : []),
  ];
  const options = { cwd: "/", env: CHILD_ENVIRONMENT, windowsHide: true, ...asUser(user) };
  try {
    await promisify(execFile)(binaries.initdb, parameters, options);
  } catch (error) {
    const output = String((error as { stderr?: unknown }).stderr ?? "");
    if (/No space left on device|Disk quota exceeded/i.test(output)) {
      throw diskFull(cluster.dataDir, error);
    }
    const lines = output.split("\n");
    const reason =
      lines.find((line) => /(error|fatal|panic):/i.test(line)) ??
      // after any other cause, such as a killed child, it says that it cleans up
      lines.find((line) => line !== "" && !line.startsWith("initdb: removing ")) ??
      (error instanceof Error ? error.message : String(error)).split("\n")[0];
    throw new OperatorError(
      `The embedded PostgreSQL could not create its database in ${cluster.dataDir}: ${reason?.trim()}. If that cannot be fixed, set DATABASE_URL to a PostgreSQL of your own.`,
      { cause: error },
    );
  }
}

/** Removes the staging folders of killed first starts; one this old is no longer in use. */
async function removeOldStaging(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(STAGING_PREFIX)) continue;
    const staging = join(dataDir, name);
    const { mtimeMs } = await stat(staging).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > STAGING_LIFETIME_MS)
      await rm(staging, { recursive: true, force: true });
  }
}

function clusterExists(cluster: Cluster): boolean {
  return existsSync(join(cluster.directory, "PG_VERSION"));
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
