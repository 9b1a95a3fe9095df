import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, statSync } from "node:fs";
import { rm, statfs, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { OperatorError } from "./operator-error";

/** Mode bits of DATA_DIR that must be unset. Under root, PostgreSQL's user needs execute permission on it. */
const CLOSED_TO_OTHERS = process.getuid?.() === 0 ? 0o066 : 0o077;

const warned = new Set<string>();

/**
 * Creates DATA_DIR without access for other users, or removes their access to an existing one. Warns, once per
 * process, if that is not permitted. Throws the file system's error.
 */
export function makeDataDirectory(dataDir: string, warn: (message: string) => void): void {
  mkdirSync(dirname(dataDir), { recursive: true });
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (isOpenToOthers(dataDir)) close(dataDir);
  if (!isOpenToOthers(dataDir) || warned.has(dataDir)) return;
  warned.add(dataDir);
  warn(
    `Other users of this machine can read DATA_DIR ${dataDir}, and this program may not change its mode: give it to the user this program runs as (chown), and run 'chmod go-rwx' on it.`,
  );
}

/** Whether other users of this machine can read DATA_DIR. */
export function isOpenToOthers(dataDir: string): boolean {
  // Windows has no such modes
  if (process.platform === "win32") return false;
  return (statSync(dataDir).mode & CLOSED_TO_OTHERS) !== 0;
}

function close(dataDir: string): void {
  const { uid, mode } = statSync(dataDir);
  // A sticky folder is shared on purpose, as /tmp is.
  if (uid !== process.getuid?.() || (mode & 0o1000) !== 0) return;
  try {
    chmodSync(dataDir, mode & 0o7777 & ~CLOSED_TO_OTHERS);
  } catch {
    // A file system without modes, or a read-only one, which writing the first file will report.
  }
}

/**
 * Creates DATA_DIR as `makeDataDirectory` does and checks that files can be written there. Throws an
 * OperatorError of one or two sentences when it is a file, read-only, not ours or full.
 */
export async function prepareDataDirectory(
  dataDir: string,
  warn: (message: string) => void = () => {},
): Promise<void> {
  try {
    makeDataDirectory(dataDir, warn);
  } catch (error) {
    throw explainDataDirectoryFailure(dataDir, error);
  }
  await requireWritable(dataDir);
}

/** Writes and removes one small file in DATA_DIR, or in the folder of another setting. Throws as `prepareDataDirectory` does. */
export async function requireWritable(dataDir: string, setting?: string): Promise<void> {
  const probe = join(dataDir, `.probe-${randomBytes(6).toString("hex")}`);
  try {
    await writeFile(probe, "x", { flag: "wx", mode: 0o600, flush: true });
  } catch (error) {
    throw explainDataDirectoryFailure(dataDir, error, setting);
  } finally {
    await rm(probe, { force: true });
  }
}

type Describe = (folder: string, setting: string) => string;

const remedy = (setting: string) =>
  `Make it writable for the program, or choose another ${setting}.`;
const notOurs: Describe = (folder, setting) =>
  `${folder} cannot be written by the user this program runs as. ${remedy(setting)}`;
const isFile: Describe = (folder, setting) =>
  `${folder} is a file, not a directory. Choose another ${setting}.`;
const isFull = (folder: string) => `The disk that holds ${folder} is full. Make room on it.`;

/** The message for the operator on a folder, which begins with its setting, by the file system's error. */
const FAILURES: Record<string, Describe> = {
  EROFS: (folder, setting) => `${folder} is on a read-only file system. ${remedy(setting)}`,
  EACCES: notOurs,
  EPERM: notOurs,
  ENOSPC: isFull,
  EDQUOT: (folder) =>
    `The disk quota of the user this program runs as is used up, on the disk that holds ${folder}. Make room on it, or have the quota raised.`,
  ENOTDIR: isFile,
  EEXIST: isFile,
  EIO: (folder) =>
    `The disk that holds ${folder} fails (EIO): look at the system's log, and save what is on it.`,
};

/** The OperatorError for a file operation that failed below DATA_DIR, or the folder of another setting; any other failure unchanged. */
export function explainDataDirectoryFailure(
  dataDir: string,
  error: unknown,
  setting = "DATA_DIR",
): unknown {
  const describe = FAILURES[(error as NodeJS.ErrnoException | null)?.code ?? ""];
  if (!describe) return error;
  return new OperatorError(describe(`${setting} ${dataDir}`, setting), { cause: error });
}

/** The OperatorError for a full disk. */
export function diskFull(dataDir: string, cause?: unknown): OperatorError {
  return new OperatorError(isFull(`DATA_DIR ${dataDir}`), { cause });
}

/** True when less than a megabyte is left for DATA_DIR: too little for PostgreSQL to start. */
export async function isDiskFull(dataDir: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(dataDir);
  return bavail * bsize < 1_048_576;
}
