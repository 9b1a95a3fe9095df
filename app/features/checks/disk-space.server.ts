import { stat, statfs } from "node:fs/promises";

/** Free share of a disk that raises the alert, and the share above which it is resolved. */
export const FREE_SHARE = { low: 0.1, enough: 0.12 };

/** Free space on a folder's disk. */
export type DiskSpace = {
  bytes: number;
  /** Share of the space the site's user may use, as in df: blocks reserved for root are neither free nor used. */
  share: number;
  /** Free share of inodes; 1 if the file system does not count them. */
  filesShare: number;
};

/** Reads the free space on a folder's disk. Rejects if the folder does not exist. */
export async function readDiskSpace(folder: string): Promise<DiskSpace> {
  const { bavail, bfree, blocks, bsize, ffree, files } = await statfs(folder);
  return {
    bytes: bavail * bsize,
    share: bavail / Math.max(1, blocks - bfree + bavail),
    filesShare: files > 0 ? ffree / files : 1,
  };
}

/** Returns the id of a folder's disk; null if the folder does not exist. */
export async function diskOf(folder: string): Promise<number | null> {
  return stat(folder).then(
    ({ dev }) => dev,
    () => null,
  );
}

const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

/** Formats a number of bytes, such as 12 MB or 1.3 GB. */
export function formatBytes(bytes: number): string {
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1_000 ** unit;
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}
