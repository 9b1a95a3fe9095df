import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { diskFull, explainDataDirectoryFailure, isDiskFull } from "../data-directory";
import { OperatorError } from "../operator-error";
import {
  candidateAddresses,
  isUnixSocket,
  prepareAddress,
  removeAddress,
  type ServerAddress,
} from "./address";
import { CHILD_ENVIRONMENT, type Cluster } from "./cluster";
import { readServerStatus, type ServerStatus } from "./postmaster-pid";
import { identify, isAlive } from "./processes";
import { asUser } from "./system-user";

export type RunningServer = ServerAddress & { pid: number };

/** Crash recovery after a power failure may take minutes. */
const START_TIMEOUT_MS = 300_000;
/** How long a killed server's shared memory or half-written pid file may block a start, in milliseconds. */
const STALE_SERVER_TIMEOUT_MS = 20_000;
const PID_FILE_TIMEOUT_MS = 1_000;
const STOP_TIMEOUT_MS = 20_000;
const MAX_LOG_BYTES = 10 * 1_048_576;
const POLL_INTERVAL_MS = 20;

/**
 * Finds the running server of the cluster, even if another program started it, or starts one at exactly
 * this address, or at any for null. Throws an OperatorError if it does not start, and the signal's reason
 * when aborted.
 */
export async function ensureServer(
  cluster: Cluster,
  address: ServerAddress | null,
  signal?: AbortSignal,
): Promise<RunningServer> {
  const startedAt = Date.now();
  const candidates = candidateAddresses(cluster);
  let chosen = address;
  for (;;) {
    signal?.throwIfAborted();
    const waited = Date.now() - startedAt;
    const running = await findServer(cluster, waited);
    if (running === "wait") {
      if (waited > START_TIMEOUT_MS) throw stuck(cluster);
    } else if (running !== null) {
      // Another program started it first, so a folder created for the socket is not needed.
      if (address === null && chosen !== null && chosen.host !== running.host) {
        await removeAddress(chosen);
      }
      return running;
    } else {
      chosen ??= (await candidates.next()).value;
      const result = await startServer(cluster, chosen);
      if (typeof result === "object") return result;
      if (result === "stale" && waited > STALE_SERVER_TIMEOUT_MS) throw stuck(cluster);
      if (result === "address refused") {
        if (address !== null) throw new AddressRefusedError(address);
        await removeAddress(chosen);
        chosen = null;
      }
    }
    await sleep(POLL_INTERVAL_MS);
  }
}

/** The server cannot listen on the address at which it has to be restarted. */
export class AddressRefusedError extends Error {
  constructor({ host, port }: ServerAddress) {
    super(
      isUnixSocket({ host, port })
        ? `No socket can be created in ${host}.`
        : `Port ${port} of ${host} is taken by another program.`,
    );
  }
}

/** True when the cluster's server runs, as far as the system provides the information. */
export async function isServerRunning(cluster: Cluster): Promise<boolean> {
  const status = await readServerStatus(cluster.directory);
  if (status === null || !(await isAlive(status.pid))) return false;
  return (await identify(status.pid, cluster.directory)) !== "other";
}

/** Stops the server: its sessions are ended and its data is written. Resolves when the process has exited. */
export async function stopServer(cluster: Cluster, server: RunningServer): Promise<void> {
  const { pid } = server;
  if ((await readServerStatus(cluster.directory))?.pid !== pid) return;
  if ((await identify(pid, cluster.directory)) === "other") return;
  if (process.platform === "win32") {
    const parameters = ["stop", "--mode=fast", "--wait", `--pgdata=${cluster.directory}`];
    await promisify(execFile)(cluster.binaries.pgCtl, parameters, { windowsHide: true });
    return;
  }
  // https://www.postgresql.org/docs/current/server-shutdown.html: fast, immediate, and as a last resort SIGKILL.
  for (const signal of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
    try {
      process.kill(pid, signal);
    } catch {
      break;
    }
    if (await waitUntilGone(pid, STOP_TIMEOUT_MS)) break;
  }
  await removeAddress(server);
}

/** Resolves to true when the process has exited, to false if it has not after `timeoutMs`. */
export async function waitUntilGone(pid: number, timeoutMs: number): Promise<boolean> {
  const startedAt = Date.now();
  while (await isAlive(pid)) {
    if (Date.now() - startedAt > timeoutMs) return false;
    await sleep(POLL_INTERVAL_MS);
  }
  return true;
}

/** Removes the pid file of a dead server, unless it has changed since it was read. */
export async function removeStalePidFile(cluster: Cluster, stale: ServerStatus): Promise<void> {
  const now = await readServerStatus(cluster.directory);
  if (now?.pid !== stale.pid) return;
  await unlink(join(cluster.directory, "postmaster.pid")).catch(() => {});
}

/** The settings that make the server listen on this address only. */
function listenSettings({ host, port }: ServerAddress): Record<string, string> {
  // Quoted, because the setting is a comma-separated list.
  const folder = `"${host.replaceAll('"', '""')}"`;
  return isUnixSocket({ host, port })
    ? { listen_addresses: "", unix_socket_directories: folder, unix_socket_permissions: "0700" }
    : { listen_addresses: host, unix_socket_directories: "" };
}

async function findServer(
  cluster: Cluster,
  waited: number,
): Promise<RunningServer | "wait" | null> {
  const status = await readServerStatus(cluster.directory);
  if (status === null) return null;
  if (status.pid === 0) {
    // Being written now, or left empty by a power failure.
    if (waited < PID_FILE_TIMEOUT_MS) return "wait";
    await removeStalePidFile(cluster, status);
    return null;
  }
  // A starting server removes the file of a dead one by itself…
  if (!(await isAlive(status.pid))) return null;
  // …but refuses to start if another process has the same id by now.
  if ((await identify(status.pid, cluster.directory)) === "other") {
    await removeStalePidFile(cluster, status);
    return null;
  }
  if (status.phase !== "ready" || status.address === null) return "wait";
  return { pid: status.pid, ...status.address };
}

async function startServer(
  cluster: Cluster,
  address: ServerAddress,
): Promise<RunningServer | "address refused" | "stale"> {
  const { directory, logFile, binaries, settings } = cluster;
  if (!(await prepareAddress(address, cluster.user))) return "address refused";
  await rotate(logFile);
  const log = await open(logFile, "a", 0o600).catch((error) => {
    throw explainDataDirectoryFailure(cluster.dataDir, error);
  });
  const logStart = (await log.stat()).size;
  const forced = { ...settings, ...listenSettings(address), logging_collector: "off" };
  // A process session of its own and no pipe to us, so that it survives Ctrl-C in our terminal and our exit.
  const child = spawn(
    binaries.postgres,
    [
      ...["-D", directory, "-p", String(address.port)],
      ...Object.entries(forced).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ],
    {
      cwd: "/",
      detached: true,
      env: CHILD_ENVIRONMENT,
      // the last in place of a socket that systemd has passed on, which the server would keep open
      stdio: ["ignore", log.fd, log.fd, "ignore"],
      windowsHide: true,
      ...asUser(cluster.user),
    },
  );
  child.unref();
  try {
    const failure = await untilReady(cluster, child);
    if (failure === null) return { ...address, pid: child.pid ?? 0 };
    const output = (await readFile(logFile)).subarray(logStart).toString("utf8");
    if (/"postmaster\.pid" (already exists|is empty)|shared memory block/.test(output)) {
      return "stale";
    }
    if (/could not create any .+ sockets|FATAL: .+\.s\.PGSQL\./.test(output)) {
      return "address refused";
    }
    throw await explainFailure(cluster, output, failure);
  } finally {
    await log.close();
  }
}

/** Resolves to null when the child is ready, otherwise to why it exited or could not be started. */
async function untilReady(cluster: Cluster, child: ChildProcess): Promise<string | null> {
  let failure: string | null = null;
  once(child, "exit").then(
    ([code, signal]) => {
      failure = `it ended with ${signal ?? `exit code ${code}`}`;
    },
    (error: Error) => {
      failure = error.message;
    },
  );
  for (const startedAt = Date.now(); failure === null; await sleep(POLL_INTERVAL_MS)) {
    const status = await readServerStatus(cluster.directory);
    if (status?.pid === child.pid && status?.phase === "ready") return null;
    if (Date.now() - startedAt > START_TIMEOUT_MS) return "it was not ready in time";
  }
  return failure;
}

async function explainFailure(cluster: Cluster, output: string, failure: string): Promise<Error> {
  if (/No space left on device|Disk quota exceeded/.test(output)) return diskFull(cluster.dataDir);
  if (await isDiskFull(cluster.dataDir).catch(() => false)) return diskFull(cluster.dataDir);
  const reason =
    output.match(/(?:FATAL|PANIC|ERROR): +(.+)/)?.[1] ?? output.match(/^postgres: (.+)/m)?.[1];
  return new OperatorError(
    `The embedded PostgreSQL did not start on ${cluster.directory}: ${reason ?? failure} (its log is ${cluster.logFile}).`,
  );
}

function stuck(cluster: Cluster): OperatorError {
  return new OperatorError(
    `The embedded PostgreSQL in ${cluster.directory} neither starts nor stops (its log is ${cluster.logFile}). If none of its processes is running, delete ${join(cluster.directory, "postmaster.pid")}.`,
  );
}

async function rotate(logFile: string): Promise<void> {
  const { size } = await stat(logFile).catch(() => ({ size: 0 }));
  if (size > MAX_LOG_BYTES) await rename(logFile, `${logFile}.1`).catch(() => {});
}
