import { realpath } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Connection } from "../connection";
import { databaseErrorCode } from "../database-errors";
import { openConnection } from "../open-connection";
import { OperatorError } from "../operator-error";
import type { ServerAddress } from "./address";
import type { Cluster } from "./cluster";
import { readServerStatus } from "./postmaster-pid";
import { identify } from "./processes";
import { DATABASE, superuserUrl } from "./roles";
import {
  ensureServer,
  type RunningServer,
  removeStalePidFile,
  stopServer,
  waitUntilGone,
} from "./server";

/** Held exclusively by the program that serves from the cluster. */
const OWNER_LOCK = 7_240_918_355_201;
/** Held shared by every program that uses the cluster; exclusively by the last one, while it stops the server. */
const USERS_LOCK = 7_240_918_355_202;
/** Milliseconds the server may take to notice that a killed owner's session has ended. */
const OWNER_TIMEOUT_MS = 2_000;
const RETRY_MS = 25;
const CONNECT_TIMEOUT_MS = 30_000;

/**
 * A program's registration with the running server: a session whose advisory locks record that it uses
 * or owns the cluster. The server releases them when the program ends, however it ends.
 */
export type Attachment = { server: RunningServer; session: Connection };

/** Another program serves from this data directory. */
export class AlreadyOwnedError extends OperatorError {
  constructor(dataDir: string) {
    super(
      `Another program already serves from DATA_DIR ${dataDir}: stop it first, or start this one with another DATA_DIR (and PORT).`,
    );
  }
}

/**
 * Finds or starts the cluster's server and attaches to it, as its owner if requested. Throws
 * AlreadyOwnedError if another program owns it.
 */
export async function attach(
  cluster: Cluster,
  options: {
    owner: boolean;
    /** The address at which the server must listen; null for any. */
    address: ServerAddress | null;
    signal?: AbortSignal;
  },
): Promise<Attachment> {
  const startedAt = Date.now();
  for (;;) {
    const server = await ensureServer(cluster, options.address, options.signal);
    const session = await openSession(cluster, server);
    if (session === null) {
      if (Date.now() - startedAt > CONNECT_TIMEOUT_MS) {
        throw new OperatorError(
          `The embedded PostgreSQL in ${cluster.directory} runs as process ${server.pid} but accepts no connections (its log is ${cluster.logFile}).`,
        );
      }
      await sleep(RETRY_MS);
      continue;
    }
    try {
      if (!(await queryBoolean(session, `select pg_try_advisory_lock_shared(${USERS_LOCK})`))) {
        // Its last user is stopping it.
        await session.end();
        await waitUntilGone(server.pid, CONNECT_TIMEOUT_MS);
        continue;
      }
      await ensureDatabase(session);
      if (options.owner) await takeOwnership(cluster, session);
      options.signal?.throwIfAborted();
      return { server, session };
    } catch (error) {
      if (!session.alive && Date.now() - startedAt < CONNECT_TIMEOUT_MS) continue;
      await detach(cluster, { server, session });
      throw error;
    }
  }
}

/** Detaches from the server and stops it if no other program uses it. Resolves to whether it was stopped. */
export async function detach(cluster: Cluster, attachment: Attachment): Promise<boolean> {
  const { server, session } = attachment;
  try {
    await queryBoolean(session, "select pg_advisory_unlock_all() is null");
    if (await queryBoolean(session, `select pg_try_advisory_lock(${USERS_LOCK})`)) {
      await stopServer(cluster, server);
      return true;
    }
    return false;
  } catch (error) {
    // The server stopped first; the next start cleans up after it.
    if (session.alive) throw error;
    return true;
  } finally {
    await session.end();
  }
}

/** Waits for as long as a killed program's session may still hold the lock. */
async function takeOwnership(cluster: Cluster, session: Connection): Promise<void> {
  const startedAt = Date.now();
  while (!(await queryBoolean(session, `select pg_try_advisory_lock(${OWNER_LOCK})`))) {
    if (Date.now() - startedAt > OWNER_TIMEOUT_MS) throw new AlreadyOwnedError(cluster.dataDir);
    await sleep(RETRY_MS);
  }
}

/** A session on the server; null when it is shutting down or is not the server of this cluster. */
async function openSession(cluster: Cluster, server: RunningServer): Promise<Connection | null> {
  const url = await superuserUrl(cluster, server, "postgres");
  try {
    const session = await openConnection({ url, applicationName: "golden-path-owner" });
    const [row] = await session.query("select current_setting('data_directory') as directory");
    if ((await sameDirectory(String(row?.directory), cluster.directory)) === true) return session;
    await session.end();
  } catch (error) {
    if (databaseErrorCode(error) === "53300") {
      throw new OperatorError(
        `The embedded PostgreSQL in ${cluster.directory} has no free connection.`,
        { cause: error },
      );
    }
  }
  // Another server or none listens there. Unless the process is certainly ours, its id and port have
  // been reused since this cluster's server died.
  const status = await readServerStatus(cluster.directory);
  if (status !== null && (await identify(status.pid, cluster.directory)) === "unknown") {
    await removeStalePidFile(cluster, status);
  }
  return null;
}

async function ensureDatabase(session: Connection): Promise<void> {
  const found = `select exists (select from pg_database where datname = '${DATABASE}')`;
  if (await queryBoolean(session, found)) return;
  await session.query(`create database ${DATABASE}`).catch((error) => {
    // duplicate_database or its unique index: another program created it first.
    if (!["42P04", "23505"].includes(databaseErrorCode(error) ?? "")) throw error;
  });
}

async function queryBoolean(session: Connection, condition: string): Promise<boolean> {
  const [row] = await session.query(`select (${condition}) as answer`);
  return row?.answer === true;
}

async function sameDirectory(first: string, second: string): Promise<boolean> {
  const [a, b] = await Promise.all([first, second].map((path) => realpath(path).catch(() => path)));
  return a === b;
}
