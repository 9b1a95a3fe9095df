import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { OperatorError } from "../operator-error";
import type { Cluster } from "./cluster";
import { readServerStatus } from "./postmaster-pid";
import { isServerRunning, stopServer } from "./server";
import { syncDirectory } from "./sync-directory";
import { CURRENT, finishSwap, UPGRADED } from "./upgraded-cluster";

/** DATA_DIR of a new cluster while it is filled. */
const STAGING = "postgres.upgrading";

/**
 * Removes what an interrupted upgrade of the cluster has left, its server included, and returns where the next one can
 * make a new cluster. For the owner of the old cluster only. A cluster that was finished is removed too: the old one may
 * have been used since.
 */
export async function clearStaging(dataDir: string): Promise<string> {
  const staging = join(dataDir, STAGING);
  await stopLeftServer(join(staging, CURRENT));
  await rm(staging, { recursive: true, force: true });
  await rm(join(dataDir, UPGRADED), { recursive: true, force: true });
  return staging;
}

/**
 * Puts the new cluster, which was made in `clearStaging`'s folder and stopped, into the place of the old one, which is
 * kept under another name; returns its path. A program that is killed meanwhile leaves either the old one in its place,
 * or the new one for the next start to put there. Throws an OperatorError if the old one is in use.
 */
export async function swapClusters(dataDir: string, oldMajor: number): Promise<string> {
  const current = join(dataDir, CURRENT);
  if (await isServerRunning({ directory: current } as Cluster)) {
    throw new OperatorError(
      "A command of the older release still uses the database: wait until it has ended, and run this again. The old database is as it was.",
    );
  }
  const kept = freeName(join(dataDir, `${CURRENT}-${oldMajor}`));
  await rename(join(dataDir, STAGING, CURRENT), join(dataDir, UPGRADED));
  await syncDirectory(dataDir);
  await rename(current, kept);
  await finishSwap(dataDir);
  await rm(join(dataDir, STAGING), { recursive: true, force: true });
  return kept;
}

async function stopLeftServer(directory: string): Promise<void> {
  const cluster = { directory } as Cluster;
  const status = await readServerStatus(directory);
  if (!status || !(await isServerRunning(cluster))) return;
  await stopServer(cluster, { pid: status.pid, ...(status.address ?? { host: "", port: 0 }) });
}

function freeName(path: string): string {
  for (let count = 1; ; count++) {
    const name = count === 1 ? path : `${path}.${count}`;
    if (!existsSync(name)) return name;
  }
}
