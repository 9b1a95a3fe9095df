import { createReadStream, existsSync } from "node:fs";
import { link, mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { syncDirectory } from "~db/embedded/sync-directory";
import { OperatorError } from "~db/operator-error";
import type { SaveOptions } from "./backup-store";

/** Suffix of an unfinished backup. */
export const UNFINISHED = ".part";

/** Error codes of file systems without hard links. */
const NO_LINKS = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EMLINK", "EXDEV"]);

/**
 * Writes a backup to a file that only its user may read, and returns its size in bytes. The file gets its name once
 * it is complete, flushed to disk and, if requested, verified. A killed program leaves a hidden `.part` file. Never
 * replaces a file. Throws an OperatorError for a file system error.
 */
export async function writeBackupFile(
  path: string,
  content: AsyncIterable<Uint8Array>,
  { stopping, verify }: SaveOptions = {},
): Promise<number> {
  const folder = dirname(path);
  const unfinished = join(folder, `.${basename(path)}.${process.pid}${UNFINISHED}`);
  let bytes = 0;
  let isOurs = false;
  try {
    if (existsSync(path)) throw exists(path);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = await open(unfinished, "wx", 0o600);
    isOurs = true;
    try {
      for await (const chunk of content) {
        stopping?.throwIfAborted();
        await file.writeFile(chunk);
        bytes += chunk.length;
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await verify?.(readBackupFile(unfinished));
    await giveName(unfinished, path);
    await syncDirectory(folder).catch(async (error) => {
      // a backup reported as failed must not stay
      await rm(path, { force: true }).catch(() => {});
      throw error;
    });
    return bytes;
  } catch (error) {
    throw explainFileFailure(error, path);
  } finally {
    if (isOurs) await rm(unfinished, { force: true }).catch(() => {});
  }
}

/** Reads a backup file. Throws an OperatorError for a file system error. */
export async function* readBackupFile(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>;
  } catch (error) {
    throw explainFileFailure(error, path);
  }
}

/** Uses a hard link because it fails, unlike a rename, if the name exists by now. */
async function giveName(unfinished: string, path: string): Promise<void> {
  try {
    await link(unfinished, path);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!NO_LINKS.has(code)) throw error;
    if (existsSync(path)) throw exists(path);
    await rename(unfinished, path);
  }
}

function noFolder(path: string, cause: unknown): OperatorError {
  return new OperatorError(`${path} is not a folder: move it away, or name another.`, { cause });
}

function exists(path: string): OperatorError {
  return new OperatorError(
    `${path} already exists, and backups are never replaced: choose another name.`,
  );
}

const isFull = (path: string) =>
  `The disk of ${path} is full: free up space, or choose another place. No backup was made.`;
const notOurs = (path: string, code: string) =>
  `${path} can't be used by the user this program runs as (${code}): choose another place, or change its permissions.`;

/** Messages for the operator, by the file system's error code. */
const FAILURES: Record<string, (path: string, code: string) => string> = {
  ENOENT: (path) => `There is no file ${path}.`,
  EISDIR: (path) => `${path} is a folder: name a file.`,
  ENOSPC: isFull,
  EDQUOT: isFull,
  EACCES: notOurs,
  EPERM: notOurs,
  EROFS: notOurs,
};

/** Converts a file system error to an OperatorError; returns any other error unchanged. */
export function explainFileFailure(error: unknown, path: string): unknown {
  const { code = "", syscall, message, path: refused } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  if (code === "ENOTDIR") return noFolder(path, error);
  // a file stands in the folder's place
  if (code === "EEXIST")
    return syscall === "mkdir" ? noFolder(refused ?? path, error) : exists(path);
  const text = FAILURES[code]?.(path, code) ?? `${path} cannot be used: ${message}.`;
  return new OperatorError(text, { cause: error });
}
