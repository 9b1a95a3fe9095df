import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chown, mkdtemp, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { diskFull, explainDataDirectoryFailure, isDiskFull } from "../data-directory";
import { OperatorError } from "../operator-error";
import type { Binaries } from "./binaries";
import { asUser, type SystemUser } from "./system-user";

export const SUPERUSER = "golden_path";

/** In the data directory itself, so that it is made, moved and backed up with what it opens. */
const PASSWORD_FILE = "golden-path.password";
const DRAFT_PREFIX = "postgres.new-";
const DRAFT_LIFETIME = 10 * 60_000;

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

/** What initdb writes into postgresql.conf, for the operator to tune: modest memory, durable as PostgreSQL is by default. */
const INITIAL_SETTINGS: Record<string, string> = {
  max_connections: "50",
  shared_buffers: "64MB",
  maintenance_work_mem: "32MB",
  max_wal_size: "256MB",
  io_method: "sync",
  max_logical_replication_workers: "0",
  jit: "off",
  // A session whose program was killed in the middle of a statement or a lock wait ends soon.
  client_connection_check_interval: "10s",
  // The program logs failed statements itself; the server's lines would quote people's addresses.
  log_min_messages: "log",
  log_error_verbosity: "terse",
  log_min_error_statement: "panic",
  log_checkpoints: "off",
};

/** The environment of PostgreSQL's programs: nothing of this program's, which holds secrets. */
export const CHILD_ENVIRONMENT: NodeJS.ProcessEnv | undefined =
  process.platform === "win32"
    ? undefined
    : ({
        LC_ALL: "C",
        TZ: "UTC",
        PATH: "/usr/local/bin:/usr/bin:/bin",
      } as object as NodeJS.ProcessEnv);

/**
 * Makes the cluster if there is none: initdb into a draft beside it, then one rename, so a cluster is
 * either there completely or not at all. Of programs that do this together one wins, and the others
 * use what it made. Throws an OperatorError for a full disk, a foreign folder in its place, a cluster
 * of another PostgreSQL, and whatever initdb says.
 */
export async function ensureCluster(cluster: Cluster): Promise<void> {
  if (!(await clusterExists(cluster))) {
    await removeOldDrafts(cluster.dataDir);
    await createCluster(cluster);
  }
  const version = await readFile(join(cluster.directory, "PG_VERSION"), "utf8");
  const { majorVersion } = cluster.binaries;
  if (Number(version) !== majorVersion) {
    throw new OperatorError(
      `The database in ${cluster.directory} was made by PostgreSQL ${version.trim()}, but this program brings PostgreSQL ${majorVersion}: move the data over with pg_dump, or set DATABASE_URL.`,
    );
  }
}

/** The superuser's password of an existing cluster. */
export async function readPassword(cluster: Cluster): Promise<string> {
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
  const draft = await mkdtemp(join(dataDir, DRAFT_PREFIX)).catch((error) => {
    throw explainDataDirectoryFailure(dataDir, error);
  });
  try {
    const passwordFile = join(draft, "password");
    await writeDurably(passwordFile, `${randomBytes(24).toString("base64url")}\n`);
    if (user !== null) {
      await chown(passwordFile, user.uid, user.gid);
      await chown(draft, user.uid, user.gid);
    }
    await runInitdb(cluster, join(draft, "cluster"), passwordFile);
    await rename(passwordFile, join(draft, "cluster", PASSWORD_FILE));
    await syncDirectory(join(draft, "cluster"));
    await rename(join(draft, "cluster"), directory);
    await syncDirectory(dataDir);
  } catch (error) {
    if (await clusterExists(cluster)) return;
    if (await isDiskFull(dataDir).catch(() => false)) throw diskFull(dataDir, error);
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOTEMPTY" || code === "EEXIST" || code === "ENOTDIR") {
      throw new OperatorError(
        `${directory} is there but is not a PostgreSQL data directory: move it away, or choose another DATA_DIR.`,
        { cause: error },
      );
    }
    throw explainDataDirectoryFailure(dataDir, error);
  } finally {
    await rm(draft, { recursive: true, force: true });
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
    const said = String((error as { stderr?: unknown }).stderr ?? "");
    if (/No space left on device|Disk quota exceeded/i.test(said)) {
      throw diskFull(cluster.dataDir, error);
    }
    const reason =
      said.split("\n").find((line) => /(error|fatal|panic):/i.test(line)) ??
      // what it says of a user without a name, as in a container run under any number
      said.split("\n").find((line) => line.startsWith("initdb: ")) ??
      (error instanceof Error ? error.message : String(error)).split("\n")[0];
    throw new OperatorError(
      `The embedded PostgreSQL could not make its database in ${cluster.dataDir}: ${reason?.trim()}. Set DATABASE_URL to a PostgreSQL of your own if that cannot be mended.`,
      { cause: error },
    );
  }
}

/** Takes away what killed first starts left; a draft this old has nobody working on it. */
async function removeOldDrafts(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(DRAFT_PREFIX)) continue;
    const draft = join(dataDir, name);
    const { mtimeMs } = await stat(draft).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > DRAFT_LIFETIME) await rm(draft, { recursive: true, force: true });
  }
}

async function clusterExists(cluster: Cluster): Promise<boolean> {
  return stat(join(cluster.directory, "PG_VERSION")).then(
    () => true,
    () => false,
  );
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

async function syncDirectory(path: string): Promise<void> {
  // Windows neither can nor need.
  if (process.platform === "win32") return;
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
