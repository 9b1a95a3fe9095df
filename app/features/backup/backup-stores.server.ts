import { resolve } from "node:path";
import { env } from "~/env.server";
import { anyBackupTime } from "./backup-name";
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

/** The places of the settings; none if neither BACKUP_DIR nor BACKUP_S3_URL is set. */
export async function configuredBackupStores(): Promise<BackupStore[]> {
  return [backupFolder(), await backupBucket()].filter((store) => store !== null);
}

/** Where an upgrade of the embedded database is backed up without BACKUP_DIR. */
export function upgradeFolder(): BackupStore {
  return folderStore(upgradeFolderPath(), `DATA_DIR's folder ${upgradeFolderPath()}`);
}

/** Every place that may have backups, for showing them: those of the settings, and the one of upgrades if it has any. */
export async function allBackupStores(): Promise<BackupStore[]> {
  const stores = await configuredBackupStores();
  const { BACKUP_DIR } = env();
  if (BACKUP_DIR && resolve(BACKUP_DIR) === upgradeFolderPath()) return stores;
  const hasUpgrades = (await upgradeFolder().list(anyBackupTime)).length > 0;
  return hasUpgrades ? [...stores, upgradeFolder()] : stores;
}

const upgradeFolderPath = () => resolve(env().DATA_DIR, "backups");
