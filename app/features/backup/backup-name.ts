/** Prefix of every backup's name. */
export const PREFIX = "golden-path-";

const NAME = /^golden-path-(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z\.tar\.gz$/;

/** Returns the file name of a backup made at a time, to the second. */
export function backupName(time: Date): string {
  return `${PREFIX}${time.toISOString().slice(0, 19).replace(/[-:]/g, "")}Z.tar.gz`;
}

/** Returns the time in a backup's name; null for any other file, such as a backup made before an upgrade. */
export function backupTime(name: string): Date | null {
  const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
  if (!year) return null;
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  // a nonexistent day, such as February 31, becomes another one
  return !Number.isNaN(time.getTime()) && backupName(time) === name ? time : null;
}

/**
 * The starting point of an upgrade, as in its backup's name: the number of migrations in the database (`schema-8`),
 * or the former PostgreSQL major (`postgresql-17`).
 */
export type UpgradeFrom = `${"schema" | "postgresql"}-${number}`;

const BEFORE_UPGRADE = /-before-upgrade-from-((?:schema|postgresql)-\d{1,4})(\.tar\.gz)$/;

/** Returns the file name of a backup made before an upgrade. The retention schedule does not apply to it. */
export function upgradeBackupName(time: Date, from: UpgradeFrom): string {
  return backupName(time).replace(/(?=\.tar\.gz$)/, `-before-upgrade-from-${from}`);
}

/** Returns the time and starting point of an upgrade backup by its name; null for any other file. */
export function upgradeBackupOf(name: string): { time: Date; from: UpgradeFrom } | null {
  const [, from] = BEFORE_UPGRADE.exec(name) ?? [];
  const time = backupTime(name.replace(BEFORE_UPGRADE, "$2"));
  return from && time ? { time, from: from as UpgradeFrom } : null;
}

/** Returns the time in the name of any kind of backup; null for any other file. */
export function anyBackupTime(name: string): Date | null {
  return backupTime(name) ?? upgradeBackupOf(name)?.time ?? null;
}

/** Formats the size of a backup. */
export const formatMegabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
