import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { prepareDataDirectory } from "./data-directory";
import type { ServerAddress } from "./embedded/address";
import { AlreadyOwnedError, type Attachment, attach, detach } from "./embedded/attachment";
import { prepareBinaries } from "./embedded/binaries";
import { type Cluster, ensureCluster } from "./embedded/cluster";
import { type Heartbeat, startHeartbeat } from "./embedded/heartbeat";
import { ensureSiteRole, siteUrl } from "./embedded/roles";
import { AddressRefusedError, isServerRunning } from "./embedded/server";
import { chooseSystemUser, requireWayTo } from "./embedded/system-user";

export type EmbeddedOptions = {
  /** The database lives in its folder `postgres`, the server's log beside it in `postgres.log`. */
  dataDir: string;
  /** `serve` owns the cluster, alone; a `command` uses it beside the owner or without one. */
  purpose: "serve" | "command";
  /** Told what happens to the server while it is in use, one sentence each. */
  log?: (level: "info" | "warn" | "error", message: string) => void;
  /** Gives up a start that is under way; what was started for it is stopped before the promise rejects. */
  signal?: AbortSignal;
  /** Called when another program has become the owner meanwhile: this one should stop. */
  onOwnershipLost?: () => void;
  /** Whom PostgreSQL runs as when this program is root; default `postgres`. */
  systemUser?: string;
  /** Server settings beside the cluster's own, such as `fsync: "off"` in tests. */
  settings?: Record<string, string>;
};

export type EmbeddedPostgres = {
  /** The address of the site's database for the site's role, password included; the same until `stop`. */
  url: string;
  /** The server's process id, and where it listens. */
  server: () => ServerAddress & { pid: number };
  /** Lets go of the server and, unless another program still uses it, stops it. */
  stop: () => Promise<void>;
};

const FIRST_RETRY = 50;
const LAST_RETRY = 5_000;

/**
 * A real PostgreSQL in DATA_DIR for as long as anybody uses it: started, or found running and
 * adopted if a killed program left it behind, and brought back if it dies. Throws an OperatorError of
 * one or two sentences when DATA_DIR, the system user or PostgreSQL itself stand in the way, or when
 * another program serves from DATA_DIR already (docs/decisions/0003-embedded-postgresql.md).
 */
export async function openEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
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
      return await keep(cluster, attachment, heartbeat, options);
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
  await requireWayTo(dataDir, user);
  return {
    dataDir,
    directory,
    logFile: join(dataDir, "postgres.log"),
    binaries: await prepareBinaries(dataDir, user),
    user,
    settings: options.settings ?? {},
  };
}

/** Watches over the server through the attachment's session, which ends when the server does. */
async function keep(
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
    log("warn", "The embedded PostgreSQL went away; bringing it back.");
    for (
      let pause = FIRST_RETRY;
      !stopping.signal.aborted;
      pause = Math.min(pause * 2, LAST_RETRY)
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
        // A command started it meanwhile where it found room; it stops it when it is done.
        await detach(cluster, attachment);
      } catch (error) {
        if (stopping.signal.aborted) return;
        if (error instanceof AlreadyOwnedError) {
          log("error", error.message);
          options.onOwnershipLost?.();
          return;
        }
        const reason = error instanceof Error ? error.message : String(error);
        log(error instanceof AddressRefusedError ? "warn" : "error", `Not back yet: ${reason}`);
      }
      await sleep(pause, undefined, { signal: stopping.signal }).catch(() => {});
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
