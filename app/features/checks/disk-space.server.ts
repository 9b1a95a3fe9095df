import { stat, statfs } from "node:fs/promises";

/** The share of a disk that must be free, and the share above which one that was nearly full has room again. */
export const FREE_SHARE = { low: 0.1, enough: 0.12 };

/** What is left on a folder's disk. */
export type DiskSpace = {
  bytes: number;
  /** As a share of what the site's user may use, as df counts: blocks reserved for root are neither free nor used. */
  share: number;
  /** The share of files; 1 where the file system counts none. */
  filesShare: number;
};

/** Reads what is left on a folder's disk. Rejects if the folder is not there. */
export async function readDiskSpace(folder: string): Promise<DiskSpace> {
  const { bavail, bfree, blocks, bsize, ffree, files } = await statfs(folder);
  return {
    bytes: bavail * bsize,
    share: bavail / Math.max(1, blocks - bfree + bavail),
    filesShare: files > 0 ? ffree / files : 1,
  };
}

/** Identifies a folder's disk; null if the folder is not there. */
export async function diskOf(folder: string): Promise<number | null> {
  return stat(folder).then(
    ({ dev }) => dev,
    () => null,
  );
}

const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

/** A number of bytes with two digits that count, such as 12 MB or 1.3 GB. */
export function formatBytes(bytes: number): string {
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1_000 ** unit;
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}
