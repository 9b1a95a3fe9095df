import { readdir, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { env } from "~/env.server";
import {
  explainFileFailure,
  readBackupFile,
  UNFINISHED,
  writeBackupFile,
} from "./backup-file.server";
import { anyBackupTime, backupTime } from "./backup-name";
import type { BackupStore, StoredBackup } from "./backup-store";

/** The store of BACKUP_DIR; null if it is not set. */
export function backupFolder(): BackupStore | null {
  const { BACKUP_DIR } = env();
  return BACKUP_DIR ? folderStore(BACKUP_DIR) : null;
}

/** The bucket of BACKUP_S3_URL; null if it is not set. Loads its client on demand. */
export async function backupBucket(): Promise<BackupStore | null> {
  const { BACKUP_S3 } = env();
  if (!BACKUP_S3) return null;
  const { bucketStore } = await import("./bucket-store.server");
  return bucketStore(BACKUP_S3);
}

/** The configured stores; none if neither BACKUP_DIR nor BACKUP_S3_URL is set. */
export async function configuredBackupStores(): Promise<BackupStore[]> {
  return [backupFolder(), await backupBucket()].filter((store) => store !== null);
}

/** The store for upgrade backups of the embedded database if BACKUP_DIR is not set. */
export function upgradeFolder(): BackupStore {
  return folderStore(upgradeFolderPath(), `DATA_DIR's folder ${upgradeFolderPath()}`);
}

/** All stores that may hold backups, for display: the configured ones, and the upgrade folder if it has any. */
export async function allBackupStores(): Promise<BackupStore[]> {
  const stores = await configuredBackupStores();
  const { BACKUP_DIR } = env();
  if (BACKUP_DIR && resolve(BACKUP_DIR) === upgradeFolderPath()) return stores;
  const hasUpgrades = (await upgradeFolder().list(anyBackupTime)).length > 0;
  return hasUpgrades ? [...stores, upgradeFolder()] : stores;
}

/** Finds a backup by its name in one of `allBackupStores`, counted from 0; null if it is not there. */
export async function findBackup(
  place: number,
  name: string,
): Promise<{ store: BackupStore; backup: StoredBackup } | null> {
  const store = (await allBackupStores())[place];
  const backup = (await store?.list(anyBackupTime))?.find((one) => one.name === name);
  return store && backup ? { store, backup } : null;
}

const upgradeFolderPath = () => resolve(env().DATA_DIR, "backups");

/** Milliseconds without a write after which an unfinished file counts as abandoned. */
const ABANDONED_MS = 60 * 60 * 1000;

/** A store of backup files in a folder, which is created on demand. */
export function folderStore(folder: string, label = `BACKUP_DIR ${folder}`): BackupStore {
  return {
    label,
    list: (timeOf = backupTime) => listBackups(folder, timeOf),
    save: (name, content, options) => writeBackupFile(join(folder, name), content, options),
    read: (name) => readBackupFile(join(folder, name)),
    remove: (name) => rm(join(folder, name), { force: true }),
    removeUnfinished: () => removeAbandoned(folder),
  };
}

async function listBackups(
  folder: string,
  timeOf: (name: string) => Date | null,
): Promise<StoredBackup[]> {
  const found: StoredBackup[] = [];
  for (const name of await namesIn(folder)) {
    const time = timeOf(name);
    if (!time) continue;
    const file = await stat(join(folder, name)).catch(() => null);
    if (file?.isFile()) found.push({ name, time, bytes: file.size });
  }
  return found.sort((one, other) => one.time.getTime() - other.time.getTime());
}

async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await namesIn(folder)) {
    if (!/^\.golden-path-.*\.part$/.test(name) || !name.endsWith(UNFINISHED)) continue;
    const path = join(folder, name);
    const file = await stat(path).catch(() => null);
    if (file && file.mtimeMs < Date.now() - ABANDONED_MS) await rm(path, { force: true });
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw explainFileFailure(error, folder);
  });
}
