/** How the name of every backup begins. */
export const PREFIX = "golden-path-";

const NAME = /^golden-path-(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z\.tar\.gz$/;

/** The file name of a backup made at a time, to the second. */
export function backupName(time: Date): string {
  return `${PREFIX}${time.toISOString().slice(0, 19).replace(/[-:]/g, "")}Z.tar.gz`;
}

/** When the backup with this name was made; null for any other file. */
export function backupTime(name: string): Date | null {
  const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
  if (!year) return null;
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  // a day that does not exist, such as 31 February, becomes another one
  return !Number.isNaN(time.getTime()) && backupName(time) === name ? time : null;
}
