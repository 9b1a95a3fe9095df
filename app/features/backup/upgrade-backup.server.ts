import { env } from "~/env.server";
import { log } from "~/observability/log.server";
import type { Database } from "~db/client";
import { holdsNothing } from "~db/dump/load";
import { OperatorError } from "~db/operator-error";
import { type UpgradeFrom, upgradeBackupName, upgradeBackupOf } from "./backup-name";
import type { BackupStore } from "./backup-store";
import { backupBucket, backupFolder, upgradeFolder } from "./backup-stores.server";
import { type VerifiedBackup, verifyBackup } from "./verify-backup.server";
import { backUp } from "./write-backup.server";

/** Number of upgrades whose last backup is kept. */
const KEPT_UPGRADES = 3;

const WITHOUT =
  "Start with BACKUP_BEFORE_UPGRADE=false to upgrade without one, once you have one of your own.";

/**
 * Backs up and verifies a site before its database is upgraded. Stores the backup in BACKUP_DIR; otherwise in
 * DATA_DIR's folder `backups` for an embedded database, or in the bucket for an external one. Returns the backup's
 * name; null if BACKUP_BEFORE_UPGRADE is false, the site is unused, or there is no store. Throws an OperatorError
 * that tells how to continue without a backup.
 */
export async function backUpBeforeUpgrade(
  database: Database,
  from: UpgradeFrom,
  { isEmbedded, stopping }: { isEmbedded: boolean; stopping?: AbortSignal },
): Promise<string | null> {
  if (!env().BACKUP_BEFORE_UPGRADE) {
    log().warn("the database is upgraded without a backup, as BACKUP_BEFORE_UPGRADE=false says");
    return null;
  }
  if (await holdsNothing(database)) return null;
  const store = await storeOfUpgrades(isEmbedded);
  if (!store) {
    log().warn(
      "the database is upgraded without a backup, because it is not embedded, and neither BACKUP_DIR nor BACKUP_S3_URL is set",
    );
    return null;
  }
  const startedAt = performance.now();
  log().info({ store: store.label }, "backing up before the upgrade");
  try {
    const { name, bytes } = await saveUpgradeBackup(store, database, from, stopping);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    log().info({ backup: name, bytes, seconds, store: store.label }, "backed up before upgrade");
    return name;
  } catch (error) {
    stopping?.throwIfAborted();
    if (!(error instanceof OperatorError)) throw error;
    throw new OperatorError(
      `The database was not upgraded, because it could not be backed up before: ${error.message} ${WITHOUT}`,
      { cause: error },
    );
  }
}

async function storeOfUpgrades(isEmbedded: boolean): Promise<BackupStore | null> {
  return backupFolder() ?? (isEmbedded ? upgradeFolder() : await backupBucket());
}

/** Makes and verifies a backup before an upgrade, and removes old ones if possible. */
export async function saveUpgradeBackup(
  store: BackupStore,
  database: Database,
  from: UpgradeFrom,
  stopping?: AbortSignal,
): Promise<VerifiedBackup & { name: string; bytes: number }> {
  await bestEffort(store.removeUnfinished());
  const now = new Date();
  const name = upgradeBackupName(now, from);
  const onLeftOut = (sentence: string) => log().warn(`the backup is not complete: ${sentence}`);
  const bytes = await store.save(name, backUp(now, { database, onLeftOut }), { stopping });
  const verified = await verifyBackup(store.read(name)).catch(async (error) => {
    await store.remove(name).catch(() => {});
    throw error;
  });
  await bestEffort(removeOld(store, name, from));
  return { ...verified, name, bytes };
}

/** Logs a failed removal instead of throwing: a key that may not delete must not prevent the backup. */
async function bestEffort(work: Promise<void>): Promise<void> {
  await work.catch((error) => {
    log().warn({ err: error }, "older backups, or the rest of one, could not be removed");
  });
}

/**
 * Keeps the newest backup of each of the last upgrades. An upgrade that keeps failing makes many, but displaces none
 * from earlier upgrades.
 */
async function removeOld(store: BackupStore, made: string, madeFrom: UpgradeFrom): Promise<void> {
  const backups = await store.list((name) => upgradeBackupOf(name)?.time ?? null);
  const seen = new Set<string>([madeFrom]);
  for (const { name } of backups.toReversed()) {
    // even if a wrong clock makes the new one look oldest
    if (name === made) continue;
    const from = upgradeBackupOf(name)?.from ?? "";
    if (seen.has(from) || seen.size >= KEPT_UPGRADES) await store.remove(name);
    else seen.add(from);
  }
}
