import { rename } from "node:fs/promises";
import { join } from "node:path";
import { syncDirectory } from "./sync-directory";

/** In DATA_DIR: the cluster that a program serves from. */
export const CURRENT = "postgres";
/** In DATA_DIR: a cluster that is whole and verified, about to take the place of the old one, which may have left it. */
export const UPGRADED = "postgres.upgraded";

/**
 * The last step of putting a new cluster into the place of an old one. Every start that finds no cluster does it, in
 * case the program that began was killed; does nothing without a new cluster.
 */
export async function finishSwap(dataDir: string): Promise<void> {
  try {
    await rename(join(dataDir, UPGRADED), join(dataDir, CURRENT));
  } catch (error) {
    // there is none, or another program has done it
    const { code = "" } = error as NodeJS.ErrnoException;
    if (["ENOENT", "ENOTEMPTY", "EEXIST", "EPERM"].includes(code)) return;
    throw error;
  }
  await syncDirectory(dataDir);
}
