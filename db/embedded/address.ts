import { chown, lstat, mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type SocketAddress, socketPath } from "../database-url";
import { OperatorError } from "../operator-error";
import type { Cluster } from "./cluster";
import { isSafeParent } from "./safe-parent";
import type { SystemUser } from "./system-user";

/**
 * The address at which a server listens, in libpq's terms: a host that begins with `/` is the folder
 * of its Unix socket. Only the owner of the cluster can enter that folder.
 */
export type ServerAddress = SocketAddress;

const LOOPBACK = "127.0.0.1";
/** Only part of the socket's file name. */
const SOCKET_PORT = 5432;
/** Longest path of a Unix socket in bytes, without the terminating NUL (unix(7); sys/un.h elsewhere). */
const MAX_SOCKET_PATH_BYTES = process.platform === "linux" ? 107 : 103;
const TEMPORARY_PREFIX = "golden-path-socket-";
/** Below the ephemeral port range, so that no outgoing connection can take the server's port. */
const TCP_PORTS = { first: 20_000, count: 10_000 };

/** Whether the server can listen on a Unix socket: Node does not support those of Windows. */
const HAS_UNIX_SOCKETS = process.platform !== "win32";

/** True for the address of a Unix socket, false for one of TCP. */
export function isUnixSocket({ host }: ServerAddress): boolean {
  return host.startsWith("/");
}

/**
 * The addresses to try for a server, in order: a socket in the cluster's own folder, then one in a new
 * private folder in the system's temporary directory. The first path may be too long, or its file system
 * without sockets (Docker Desktop's shared folders). On Windows, loopback ports. Throws an OperatorError
 * once all have been tried.
 */
export async function* candidateAddresses(cluster: Cluster): AsyncGenerator<ServerAddress, never> {
  while (!HAS_UNIX_SOCKETS) yield { host: LOOPBACK, port: await findFreePort() };
  if (fits(cluster.directory)) yield { host: cluster.directory, port: SOCKET_PORT };
  const parents = [...new Set([tmpdir(), "/tmp"])];
  for (const parent of parents) {
    const host = await makeTemporaryFolder(parent, cluster.user).catch(() => null);
    if (host !== null) yield { host, port: SOCKET_PORT };
  }
  throw new OperatorError(
    `The embedded PostgreSQL cannot create its socket: the path of ${cluster.directory} is too long or its file system does not support sockets, and ${parents.join(" and ")} cannot be used either. Choose another DATA_DIR or set TMPDIR.`,
  );
}

/**
 * Prepares an address for listening. Removes the lock file of a killed server, whose process id may have
 * been reused, and recreates a deleted temporary folder. False if that folder is no longer ours.
 * The caller must know that no server of the cluster runs.
 */
export async function prepareAddress(address: ServerAddress, user: SystemUser): Promise<boolean> {
  if (!isUnixSocket(address)) return true;
  if (isTemporary(address) && !(await restoreTemporaryFolder(address.host, user))) return false;
  await rm(`${socketPath(address)}.lock`, { force: true });
  return true;
}

/** Removes the temporary folder of an unused socket; no-op for other addresses. */
export async function removeAddress(address: ServerAddress): Promise<void> {
  if (!isTemporary(address)) return;
  await rm(address.host, { recursive: true, force: true }).catch(() => {});
}

function fits(folder: string): boolean {
  const path = socketPath({ host: folder, port: SOCKET_PORT });
  return Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES;
}

/** True for a socket in the system's temporary folder. */
function isTemporary({ host }: ServerAddress): boolean {
  return basename(host).startsWith(TEMPORARY_PREFIX);
}

async function restoreTemporaryFolder(folder: string, user: SystemUser): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
    if (user !== null) await chown(folder, user.uid, user.gid);
  } catch {
    // It most likely still exists; what is there is checked next.
  }
  const found = await lstat(folder).catch(() => null);
  if (!found?.isDirectory()) return false;
  return found.uid === (user?.uid ?? process.getuid?.()) && (found.mode & 0o077) === 0;
}

async function makeTemporaryFolder(parent: string, user: SystemUser): Promise<string | null> {
  const name = join(parent, TEMPORARY_PREFIX);
  if (!fits(`${name}XXXXXX`) || !(await isSafeParent(parent))) return null;
  const folder = await mkdtemp(name);
  if (user !== null) await chown(folder, user.uid, user.gid);
  return folder;
}

async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = TCP_PORTS.first + Math.floor(Math.random() * TCP_PORTS.count);
    if (await isFree(port)) return port;
  }
  throw new OperatorError("No port of 127.0.0.1 is free for the embedded PostgreSQL.");
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, LOOPBACK, () => probe.close(() => resolve(true)));
  });
}
