import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { OperatorError } from "../operator-error";
import { CURRENT, UPGRADED } from "./upgraded-cluster";

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
  if ((await clusterMajor(dataDir)) !== null || (await isBetweenClusters(dataDir))) return;
  throw new NoDatabaseError(
    `There is no database in DATA_DIR ${dataDir}: set DATA_DIR to the site's, or start the site, which creates one.`,
  );
}

/** Whether an upgrade was interrupted while neither the old cluster nor the new one was in its place. */
async function isBetweenClusters(dataDir: string): Promise<boolean> {
  return stat(join(dataDir, UPGRADED)).then(
    () => true,
    () => false,
  );
}
