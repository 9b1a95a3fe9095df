/** How the name of every backup begins. */
export const PREFIX = "golden-path-";

const NAME = /^golden-path-(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z\.tar\.gz$/;

/** The file name of a backup made at a time, to the second. */
export function backupName(time: Date): string {
  return `${PREFIX}${time.toISOString().slice(0, 19).replace(/[-:]/g, "")}Z.tar.gz`;
}

/** When the backup with this name was made; null for any other file, such as one made before an upgrade. */
export function backupTime(name: string): Date | null {
  const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
  if (!year) return null;
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  // a day that does not exist, such as 31 February, becomes another one
  return !Number.isNaN(time.getTime()) && backupName(time) === name ? time : null;
}

/**
 * What an upgrade starts from, as the name of its backup says: the migrations that the database has (`schema-8`), or
 * the PostgreSQL that it is moved from (`postgresql-17`).
 */
export type UpgradeFrom = `${"schema" | "postgresql"}-${number}`;

const BEFORE_UPGRADE = /-before-upgrade-from-((?:schema|postgresql)-\d{1,4})(\.tar\.gz)$/;

/** The file name of a backup made before an upgrade. The schedule of the others does not apply to it. */
export function upgradeBackupName(time: Date, from: UpgradeFrom): string {
  return backupName(time).replace(/(?=\.tar\.gz$)/, `-before-upgrade-from-${from}`);
}

/** When the backup with this name was made, and before which upgrade; null for any other file. */
export function upgradeBackupOf(name: string): { time: Date; from: UpgradeFrom } | null {
  const [, from] = BEFORE_UPGRADE.exec(name) ?? [];
  const time = backupTime(name.replace(BEFORE_UPGRADE, "$2"));
  return from && time ? { time, from: from as UpgradeFrom } : null;
}

/** When the backup with this name was made, whatever for; null for any other file. */
export function anyBackupTime(name: string): Date | null {
  return backupTime(name) ?? upgradeBackupOf(name)?.time ?? null;
}
