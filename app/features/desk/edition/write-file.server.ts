import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { explainDataDirectoryFailure, requireWritable } from "~db/data-directory";
import { syncDirectory } from "~db/embedded/sync-directory";
import { OperatorError } from "~db/operator-error";

const SETTING = "CONTENT_DIR";

/** Changes a folder. Throws an OperatorError that says why the folder cannot be written. */
export async function explained(folder: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw explainDataDirectoryFailure(folder, error, SETTING);
  }
}

/** Returns why a folder cannot be written, by trying, and what still works; null if it can, or if it is missing still. */
export async function whyUnwritable(folder: string): Promise<string | null> {
  try {
    await requireWritable(folder, SETTING);
    return null;
  } catch (error) {
    if (!(error instanceof OperatorError)) return null;
    return `${error.message} Drafts and previews still work.`;
  }
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
  await explained(folder, async () => {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    const unfinished = join(dirname(target), `.${randomUUID()}.part${extname(path)}`);
    try {
      await writeFile(unfinished, content, { flag: "wx", flush: true });
      await accept(unfinished);
      await rename(unfinished, target);
    } finally {
      await rm(unfinished, { force: true });
    }
    // or the new name might not outlast a power cut that its draft's deletion outlasts
    await syncDirectory(dirname(target));
  });
}

/** Renames a file within its folder. */
export const renameFile = (folder: string, path: string, next: string) =>
  explained(folder, async () => {
    await mkdir(dirname(join(folder, next)), { recursive: true });
    await rename(join(folder, path), join(folder, next));
  });
