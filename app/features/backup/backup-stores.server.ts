import { env } from "~/env.server";
import type { BackupStore } from "./backup-store";
import { folderStore } from "./folder-store.server";

/** BACKUP_DIR; null if it is not set. */
export function backupFolder(): BackupStore | null {
  const { BACKUP_DIR } = env();
  return BACKUP_DIR ? folderStore(BACKUP_DIR) : null;
}

/** The bucket of BACKUP_S3_URL; null if it is not set. Its client is loaded when it is needed. */
export async function backupBucket(): Promise<BackupStore | null> {
  const { BACKUP_S3 } = env();
  if (!BACKUP_S3) return null;
  const { bucketStore } = await import("./bucket-store.server");
  return bucketStore(BACKUP_S3);
}
