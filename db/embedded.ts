import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { prepareDataDirectory } from "./data-directory";
import type { ServerAddress } from "./embedded/address";
import { AlreadyOwnedError, type Attachment, attach, detach } from "./embedded/attachment";
import { type Binaries, prepareBinaries } from "./embedded/binaries";
import { type Cluster, ensureCluster } from "./embedded/cluster";
import { requireCluster } from "./embedded/existing-cluster";
import { type Heartbeat, startHeartbeat } from "./embedded/heartbeat";
import { ensureSiteRole, siteUrl } from "./embedded/roles";
import { AddressRefusedError, isServerRunning } from "./embedded/server";
import { chooseSystemUser, ensureUserAccess, type SystemUser } from "./embedded/system-user";

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
 * killed program left it running, and restarted if it dies. Throws an OperatorError of one or two
 * sentences for a problem with DATA_DIR, the system user or PostgreSQL itself, or when another program
 * already serves from DATA_DIR; a NoDatabaseError if there is none, and none is to be created (docs/decisions/0003-embedded-postgresql.md).
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
      log: options.log,
    });
    try {
      await ensureSiteRole(cluster, attachment.server, options.log);
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
