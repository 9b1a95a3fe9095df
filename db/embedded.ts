import { existsSync, utimesSync } from "node:fs";
import { readFile, readlink, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { explainDataDirectoryFailure, prepareDataDirectory } from "./data-directory";
import type { ServerAddress } from "./embedded/address";
import { AlreadyOwnedError, type Attachment, attach, detach } from "./embedded/attachment";
import { type Binaries, prepareBinaries } from "./embedded/binaries";
import { type Cluster, ensureCluster } from "./embedded/cluster";
import { ensureSiteRole, siteUrl } from "./embedded/roles";
import { AddressRefusedError, isServerRunning } from "./embedded/server";
import { chooseSystemUser, ensureUserAccess, type SystemUser } from "./embedded/system-user";
import { CURRENT, UPGRADED } from "./embedded/upgraded-cluster";
import { OperatorError } from "./operator-error";

export type EmbeddedOptions = {
  /** The database lives in its folder `postgres`, the server's log beside it in `postgres.log`. */
  dataDir: string;
  /** `serve` owns the cluster exclusively; a `command` uses it with or without an owner. */
  purpose: "serve" | "command";
  /** Receives one sentence for each event of the server while it is in use. */
  log?: (level: "info" | "warn" | "error", message: string) => void;
  /** Whether to create the database if there is none; default true. */
  create?: boolean;
  /** Aborts a start in progress; whatever it started is stopped before the promise rejects. */
  signal?: AbortSignal;
  /** Called when another program has become the owner: this one should stop. */
  onOwnershipLost?: () => void;
  /** The system user PostgreSQL runs as when this program is root; default `postgres`. */
  systemUser?: string;
  /** The programs to run the cluster with, if it is of another major than this program's; it must exist. */
  programs?: (user: SystemUser) => Promise<Binaries>;
  /** Server settings that override the cluster's own, such as `fsync: "off"` in tests. */
  settings?: Record<string, string>;
};

export type EmbeddedPostgres = {
  /** The address of the site's database for the site's role, password included; the same until `stop`. */
  url: string;
  /** The server's process id, and where it listens. */
  server: () => ServerAddress & { pid: number };
  /** Detaches from the server and stops it unless another program still uses it. */
  stop: () => Promise<void>;
};

const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 5_000;

/**
 * A PostgreSQL server in DATA_DIR that runs while any program uses it. It is started, or adopted if a
 * killed program left it running, and restarted if it dies (docs/decisions/0003-embedded-postgresql.md). Throws an
 * OperatorError of one or two sentences for a problem with DATA_DIR, the system user or PostgreSQL itself, or when
 * another program already serves from DATA_DIR; a NoDatabaseError if there is none, and `create` is false.
 */
export async function openEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  if (options.create === false) await requireCluster(dataDir);
  await prepareDataDirectory(dataDir, (message) => options.log?.("warn", message));
  const heartbeat = await startHeartbeat(dataDir);
  try {
    const cluster = await describeCluster(dataDir, options);
    await ensureCluster(cluster);
    const attachment = await attach(cluster, {
      owner: options.purpose === "serve",
      address: null,
      signal: options.signal,
    });
    try {
      await ensureSiteRole(cluster, attachment.server);
      return await supervise(cluster, attachment, heartbeat, options);
    } catch (error) {
      await detach(cluster, attachment);
      throw error;
    }
  } catch (error) {
    await heartbeat.stop(false);
    throw error;
  }
}

async function describeCluster(dataDir: string, options: EmbeddedOptions): Promise<Cluster> {
  const directory = join(dataDir, "postgres");
  const user = await chooseSystemUser(directory, options.systemUser ?? "postgres");
  await ensureUserAccess(dataDir, user);
  return {
    dataDir,
    directory,
    logFile: join(dataDir, "postgres.log"),
    binaries: await (options.programs?.(user) ?? prepareBinaries(dataDir, user)),
    user,
    settings: options.settings ?? {},
  };
}

/** Monitors the server through the attachment's session, which ends when the server does. */
async function supervise(
  cluster: Cluster,
  first: Attachment,
  heartbeat: Heartbeat,
  options: EmbeddedOptions,
): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => {});
  const url = await siteUrl(cluster, first.server);
  const { host, port } = first.server;
  const address = { host, port };
  const stopping = new AbortController();
  let current = first;
  let recovery: Promise<void> | null = null;

  function watch(attachment: Attachment): void {
    current = attachment;
    attachment.session.onClose(() => {
      if (!stopping.signal.aborted) recovery = recover();
    });
  }

  async function recover(): Promise<void> {
    const startedAt = Date.now();
    log("warn", "The embedded PostgreSQL stopped unexpectedly; restarting it.");
    for (
      let delay = FIRST_RETRY_MS;
      !stopping.signal.aborted;
      delay = Math.min(delay * 2, MAX_RETRY_MS)
    ) {
      try {
        const attachment = await attach(cluster, {
          owner: options.purpose === "serve",
          address,
          signal: stopping.signal,
        });
        if (attachment.server.host === host && attachment.server.port === port) {
          log("info", `The embedded PostgreSQL is back after ${Date.now() - startedAt} ms.`);
          return watch(attachment);
        }
        // A command has since started it at another address, and stops it when it is done.
        await detach(cluster, attachment);
      } catch (error) {
        if (stopping.signal.aborted) return;
        if (error instanceof AlreadyOwnedError) {
          log("error", error.message);
          options.onOwnershipLost?.();
          return;
        }
        const reason = error instanceof Error ? error.message : String(error);
        log(
          error instanceof AddressRefusedError ? "warn" : "error",
          `The embedded PostgreSQL could not be restarted yet: ${reason}`,
        );
      }
      await sleep(delay, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  let stopped: Promise<void> | null = null;
  async function stop(): Promise<void> {
    stopping.abort();
    await recovery;
    if (!current.session.alive && (await isServerRunning(cluster))) {
      current = await attach(cluster, { owner: false, address });
    }
    const last = await detach(cluster, current);
    await heartbeat.stop(last);
  }

  watch(first);
  return {
    url,
    server: () => current.server,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** There is no database in DATA_DIR. */
export class NoDatabaseError extends OperatorError {
  override name = "NoDatabaseError";
}

/**
 * The major version of the cluster in DATA_DIR; null if there is none. Throws an OperatorError for one that this
 * program's user may not read.
 */
export async function clusterMajor(dataDir: string): Promise<number | null> {
  const path = join(dataDir, CURRENT, "PG_VERSION");
  try {
    return Number(await readFile(path, "utf8"));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    if (code !== "EACCES" && code !== "EPERM") throw error;
    throw new OperatorError(
      `The database in DATA_DIR ${dataDir} belongs to another user: run this as the user that the site runs as. Nothing was changed.`,
      { cause: error },
    );
  }
}

/** Throws a NoDatabaseError if DATA_DIR has no cluster, and as `clusterMajor` does. */
export async function requireCluster(dataDir: string): Promise<void> {
  if ((await clusterMajor(dataDir)) !== null || isBetweenClusters(dataDir)) return;
  throw new NoDatabaseError(
    `There is no database in DATA_DIR ${dataDir}: set DATA_DIR to the site's, or start the site, which creates one.`,
  );
}

/** Whether an upgrade was interrupted while neither the old cluster nor the new one was in its place. */
function isBetweenClusters(dataDir: string): boolean {
  return existsSync(join(dataDir, UPGRADED));
}

const BEAT_INTERVAL_MS = 1_000;
/** Without a beat within this time, the other program is considered dead. */
const WATCH_MS = 4 * BEAT_INTERVAL_MS;
/** A beat older than this is stale even if the two machines' clocks differ. */
const STALE_MS = 60_000;

/**
 * Tells other machines and containers that mount the same DATA_DIR that it is in use: a file whose
 * modification time is updated every second. PostgreSQL's own lock file holds a process id, which means
 * nothing outside this machine or container, and two servers on one data directory corrupt it.
 */
type Heartbeat = {
  /** Stops the heartbeat; with `last` the file is removed, so that the next start need not watch it. */
  stop: (last: boolean) => Promise<void>;
};

/** Starts the heartbeat. Throws an OperatorError if another machine or container has one running. */
async function startHeartbeat(dataDir: string): Promise<Heartbeat> {
  const file = join(dataDir, "postgres.host");
  const self = await pidScope();
  const other = await readFile(file, "utf8").catch(() => null);
  if (other !== null && other !== self && (await isBeating(file))) {
    throw new OperatorError(
      `DATA_DIR ${dataDir} is in use by a program on another machine or in another container (${other.split(" ")[0]}): stop it first, or choose another DATA_DIR.`,
    );
  }
  if (other !== self) await write(dataDir, file, self);
  const beat = () => {
    const now = new Date();
    try {
      utimesSync(file, now, now);
    } catch (error) {
      // Another program on this host took itself for the last user and removed it.
      if ((error as NodeJS.ErrnoException).code === "ENOENT")
        void write(dataDir, file, self).catch(() => {});
    }
  };
  beat();
  const timer = setInterval(beat, BEAT_INTERVAL_MS);
  timer.unref();
  return {
    stop: async (last) => {
      clearInterval(timer);
      if (last) await rm(file, { force: true });
    },
  };
}

async function write(dataDir: string, file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { mode: 0o600 });
  } catch (error) {
    throw explainDataDirectoryFailure(dataDir, error);
  }
}

async function isBeating(file: string): Promise<boolean> {
  const before = (await stat(file)).mtimeMs;
  if (Date.now() - before > STALE_MS) return false;
  await sleep(WATCH_MS);
  const after = await stat(file).catch(() => null);
  return after !== null && after.mtimeMs !== before;
}

/** Identifies the scope of process ids: the machine, and on Linux the container. */
async function pidScope(): Promise<string> {
  const namespace = await readlink("/proc/self/ns/pid").catch(() => "");
  return `${hostname()} ${namespace}`.trim();
}
