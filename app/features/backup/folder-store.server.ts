import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  explainFileFailure,
  readBackupFile,
  UNFINISHED,
  writeBackupFile,
} from "./backup-file.server";
import { backupTime } from "./backup-name";
import type { BackupStore, StoredBackup } from "./backup-store";

/** A file that nobody has written to for this long is no longer being written, in milliseconds. */
const ABANDONED_MS = 60 * 60 * 1000;

/** Backups as files of a folder, which is created when it is needed. */
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
