import { randomBytes } from "node:crypto";
import { mkdir, rm, stat, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OperatorError } from "./operator-error";

const WAY_OUT = "Choose another DATA_DIR, or set DATABASE_URL to a PostgreSQL of your own.";

/**
 * Makes DATA_DIR if it is missing and proves that files can be written there. Throws an
 * OperatorError of one or two sentences when it is a file, read-only, not ours or full.
 */
export async function prepareDataDirectory(dataDir: string): Promise<void> {
  try {
    // Others may pass through (PostgreSQL runs as another user under root) but not look around.
    await mkdir(dataDir, { recursive: true, mode: 0o711 });
    if (!(await stat(dataDir)).isDirectory()) throw fileInTheWay();
    const probe = join(dataDir, `.probe-${randomBytes(6).toString("hex")}`);
    try {
      await writeFile(probe, "x");
    } finally {
      await rm(probe, { force: true });
    }
  } catch (error) {
    throw explainDataDirectoryFailure(dataDir, error);
  }
}

/** The OperatorError for a file operation that failed below DATA_DIR; any other failure unchanged. */
export function explainDataDirectoryFailure(dataDir: string, error: unknown): unknown {
  switch ((error as NodeJS.ErrnoException | null)?.code) {
    case "EROFS":
      return new OperatorError(`DATA_DIR ${dataDir} is on a read-only file system. ${WAY_OUT}`, {
        cause: error,
      });
    case "EACCES":
    case "EPERM":
      return new OperatorError(
        `DATA_DIR ${dataDir} cannot be written by the user this program runs as. ${WAY_OUT}`,
        { cause: error },
      );
    case "ENOSPC":
    case "EDQUOT":
      return diskFull(dataDir, error);
    case "ENOTDIR":
    case "EEXIST":
      return new OperatorError(`DATA_DIR ${dataDir} is a file, not a directory. ${WAY_OUT}`, {
        cause: error,
      });
    default:
      return error;
  }
}

/** The OperatorError for a disk without room. */
export function diskFull(dataDir: string, cause?: unknown): OperatorError {
  return new OperatorError(`The disk that holds DATA_DIR ${dataDir} is full. Make room on it.`, {
    cause,
  });
}

/** True when less than a megabyte is left for DATA_DIR: too little for PostgreSQL to start. */
export async function isDiskFull(dataDir: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(dataDir);
  return bavail * bsize < 1_048_576;
}

function fileInTheWay(): Error {
  return Object.assign(new Error("not a directory"), { code: "ENOTDIR" });
}
