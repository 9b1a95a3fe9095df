import { rename } from "node:fs/promises";
import { OperatorError } from "~db/operator-error";
import { readBackupFile, writeBackupFile } from "./backup-file.server";
import { type VerifiedBackup, verifyBackup } from "./verify-backup.server";

/** The end of the name of a file that was to be a backup and cannot be read back. */
const BROKEN = ".broken";

/**
 * Writes a backup to a new file and reads it again to verify it. One that cannot be read back gets a name that nothing
 * takes for a backup. Throws an OperatorError.
 */
export async function writeVerifiedFile(
  path: string,
  content: AsyncIterable<Uint8Array>,
): Promise<VerifiedBackup> {
  await writeBackupFile(path, content);
  try {
    return await verifyBackup(readBackupFile(path));
  } catch (error) {
    await rename(path, path + BROKEN);
    if (!(error instanceof OperatorError)) throw error;
    throw new OperatorError(
      `The backup cannot be read back, so check the disk: ${error.message} It is now ${path}${BROKEN}.`,
      { cause: error },
    );
  }
}
