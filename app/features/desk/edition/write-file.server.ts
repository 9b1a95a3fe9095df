import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join, sep } from "node:path";
import { OperatorError } from "~db/operator-error";

const FULL = "The disk that holds the book’s folder is full. Make room on it, then try again.";
const NOT_OURS =
  "The program may not write to the book’s folder. Change its owner or permissions, or edit the files there.";

/** Why a folder takes no file, by the system's code. */
const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EROFS: "The book’s folder is read-only here. Edit the files where they come from.",
  EACCES: NOT_OURS,
  EPERM: NOT_OURS,
};

/** A file that a crash left unfinished. The watch of the folder ignores hidden files. */
const UNFINISHED = /^\.[0-9a-f-]{36}\.part/;

const HOUR_MS = 3_600_000;

/** Where deleted files go, in the edition's folder. */
const DELETED = ".deleted";

/** Runs a change of the folder. Throws an OperatorError that says why the folder cannot be written. */
export async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ""];
    throw reason ? new OperatorError(reason, { cause: error }) : error;
  }
}

/** Returns why the program cannot write to a folder, by trying; null if it can, or if the folder is missing still. */
export async function whyUnwritable(folder: string): Promise<string | null> {
  const probe = join(folder, `.${randomUUID()}.part`);
  try {
    await explained(() => writeFile(probe, "", { flag: "wx" }));
    await rm(probe);
    return null;
  } catch (error) {
    return error instanceof OperatorError ? error.message : null;
  }
}

/** Returns where a file of a folder really is. Throws an OperatorError if a link leads out of the folder. */
export async function placeIn(folder: string, path: string): Promise<string> {
  const root = await realpath(folder);
  const target = join(await realpath(dirname(join(folder, path))), basename(path));
  const real = await realpath(target).catch(() => target);
  if ([target, real].every((place) => place.startsWith(root + sep))) return target;
  throw new OperatorError(`${path} is a link that leads out of the book’s folder.`);
}

/**
 * Writes a file of a folder, whole or not at all, also if the program or the machine dies meanwhile. `accept` gets the finished
 * file under a hidden name and may throw. Throws an OperatorError that says why the folder takes no file.
 */
export async function writeWhole(
  folder: string,
  path: string,
  content: string | Uint8Array,
  accept: (file: string) => Promise<void> = async () => {},
): Promise<void> {
  await explained(async () => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    const target = await placeIn(folder, path);
    const unfinished = join(dirname(target), `.${randomUUID()}.part${extname(path)}`);
    await removeLeftovers(dirname(target));
    try {
      await writeFile(unfinished, content, { flag: "wx", flush: true });
      await accept(unfinished);
      await rename(unfinished, target);
    } finally {
      await rm(unfinished, { force: true });
    }
    await flushFolder(dirname(target));
  });
}

/** Renames a file within its folder. */
export async function renameFile(folder: string, path: string, next: string): Promise<void> {
  await explained(async () => rename(await placeIn(folder, path), await placeIn(folder, next)));
}

/** Moves a file to the hidden folder of deleted ones, and returns its path there. */
export async function moveAway(folder: string, path: string, now: Date): Promise<string> {
  const moved = `${DELETED}/${now.toISOString().replaceAll(":", "-")}-${basename(path)}`;
  await explained(() => mkdir(join(folder, DELETED), { recursive: true }));
  await renameFile(folder, path, moved);
  return moved;
}

/** Makes a new name last, as before its draft is deleted; some systems cannot. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder).catch(() => null);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!UNFINISHED.test(name)) continue;
    const found = await stat(join(folder, name)).catch(() => null);
    if (found && Date.now() - found.mtimeMs > HOUR_MS)
      await rm(join(folder, name), { force: true });
  }
}
