import { createHash } from "node:crypto";
import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import pMap from "p-map";
import { BrokenEdition } from "./edition-problem";

/** Far more than any edition has. A folder with more is something else, such as a home directory. */
const MAX_FILES = 50_000;

/** Maximum number of concurrent `stat` calls. */
const CONCURRENT_STATS = 32;

/** Files that editors and systems create beside others. */
const IGNORED = /^\.|~$|^#.*#$|\.(?:swp|tmp|part)$|^(?:Thumbs\.db|desktop\.ini)$/i;

/** A snapshot of a folder's files. */
export type FolderListing = {
  /** Paths relative to the folder, with slashes, sorted. */
  files: string[];
  /** Changes when a file is added, removed or changed, judged by sizes and modification times. */
  signature: string;
};

/** Lists all files below an edition's folder; null if the folder is missing or empty. */
export async function listFolder(folder: string): Promise<FolderListing | null> {
  const files = await filesBelow(folder);
  if (files === null || files.length === 0) return null;
  files.sort();
  const hash = createHash("sha256");
  const describe = async (file: string) => {
    const found = await stat(join(folder, file), { bigint: true }).catch(() => null);
    return `${file}\0${found?.size}\0${found?.mtimeNs}\0`;
  };
  for (const line of await pMap(files, describe, { concurrency: CONCURRENT_STATS })) {
    hash.update(line);
  }
  return { files, signature: hash.digest("hex") };
}

/** Whether a folder contains any file of an edition, even a broken one. */
export function holdsEdition(listing: FolderListing | null): boolean {
  return (
    listing?.files.some((file) => /^(?:chapters|extras)\/|^(?:landing|site)\.yml$/.test(file)) ??
    false
  );
}

async function filesBelow(folder: string): Promise<string[] | null> {
  const files: string[] = [];
  const folders = [""];
  /** Real paths of folders, since links may form a cycle. */
  const known = new Set<string>();
  for (let below = folders.pop(); below !== undefined; below = folders.pop()) {
    const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(
      (error: NodeJS.ErrnoException) => {
        // a folder may vanish while it is listed; the edition's own may not exist yet
        if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
        throw error;
      },
    );
    if (entries === null) {
      if (below === "") return null;
      continue;
    }
    const real = await realpath(join(folder, below)).catch(() => null);
    if (real === null || known.has(real)) continue;
    known.add(real);
    for (const entry of entries) {
      if (IGNORED.test(entry.name)) continue;
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      const isLink = entry.isSymbolicLink();
      const target = isLink ? await stat(join(folder, path)).catch(() => null) : entry;
      if (target?.isDirectory()) folders.push(path);
      // a dangling link is listed as a file that cannot be read
      else if (target === null || target.isFile()) files.push(path);
      if (files.length > MAX_FILES) {
        const problem = `there are more than ${MAX_FILES} files; wanted the folder of an edition`;
        throw new BrokenEdition([{ file: ".", line: null, problem }]);
      }
    }
  }
  return files;
}
