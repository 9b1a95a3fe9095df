import { randomUUID } from "node:crypto";
import { mkdir, open, realpath, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join, sep } from "node:path";
import { OperatorError } from "~db/operator-error";

const FULL = "The disk that holds the book’s folder is full. Make room on it, then try again.";
const NOT_OURS = "The program may not write to the book’s folder. Change its owner or permissions.";

/** Why a folder takes no file, by the system's code. */
const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EROFS: "The book’s folder is read-only here. Edit its files where they come from.",
  EACCES: NOT_OURS,
  EPERM: NOT_OURS,
};

/** Changes a folder. Throws an OperatorError that says why the folder cannot be written. */
export async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ""];
    throw reason ? new OperatorError(reason, { cause: error }) : error;
  }
}

/** Returns why a folder cannot be written, by trying; null if it can, or if it is missing still. */
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
 * Writes a file of a folder, whole or not at all, also if the machine fails meanwhile. The watch of the folder ignores what is
 * unfinished, since its name is hidden. `accept` gets the finished file under that name and may throw. Throws an OperatorError that
 * says why the folder takes no file.
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
    try {
      await writeFile(unfinished, content, { flag: "wx", flush: true });
      await accept(unfinished);
      await rename(unfinished, target);
    } finally {
      await rm(unfinished, { force: true });
    }
    // or the new name might not outlast a power cut that its draft's deletion outlasts; Windows has no such call
    const parent = await open(dirname(target)).catch(() => null);
    await parent?.sync().finally(() => parent.close());
  });
}

/** Renames a file within its folder. */
export const renameFile = (folder: string, path: string, next: string) =>
  explained(async () => {
    await mkdir(dirname(join(folder, next)), { recursive: true });
    await rename(await placeIn(folder, path), await placeIn(folder, next));
  });

/** Moves a file to the hidden folder of deleted ones, and returns its path there. */
export async function moveAway(folder: string, path: string): Promise<string> {
  const time = new Date().toISOString().replaceAll(":", "-");
  const moved = `.deleted/${time}-${basename(path)}`;
  await renameFile(folder, path, moved);
  return moved;
}
