import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { dataDirectory } from "~/data-directory.server";
import { env } from "~/env.server";
import { listFolder } from "~/features/library/importer/edition-folder.server";
import { syncDirectory } from "~db/embedded/sync-directory";
import { OperatorError } from "~db/operator-error";
import { type End, entryKind } from "./backup-format";
import { isSessionSecret, placeOf } from "./site-files.server";

/** Holds files until all of them and the database are ready. The edition's reader ignores it. */
const STAGING = ".restoring";

type Placement = { path: string; root: string; target: string; staged: string; sha256: string };

/** Places a backup's files at their targets, all at the end. */
export type FilePlacer = {
  /** Writes a file to the staging folder. */
  stage(path: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Moves all staged files to their targets. Keeps the files they replace, and returns those files' paths. */
  place(): Promise<string[]>;
  /** Removes staged files that were not placed. */
  discard(): Promise<void>;
};

/**
 * Prepares to restore a backup's files without changing anything yet. Throws an OperatorError if CONTENT_DIR holds
 * another edition, which belongs to the operator. `keepContent` leaves that folder unchanged instead.
 */
export async function prepareFiles(end: End, { keepContent = false } = {}): Promise<FilePlacer> {
  const { CONTENT_DIR, DATA_DIR } = env();
  const roots = { data: DATA_DIR, content: CONTENT_DIR };
  const placements = new Map<string, Placement>();
  for (const { name, sha256 } of end.entries) {
    const kind = entryKind(name);
    const place = kind?.kind === "file" ? placeOf(kind.path) : null;
    if (kind?.kind !== "file" || !place) continue;
    if (place.folder === "content" && keepContent) continue;
    const root = roots[place.folder];
    const target = join(root, place.below);
    if (!target.startsWith(root + sep)) continue;
    const staged = join(root, STAGING, String(placements.size));
    placements.set(kind.path, { path: kind.path, root, target, staged, sha256 });
  }
  if (!keepContent) await requireSameEdition(CONTENT_DIR, [...placements.values()]);
  return {
    stage: async (path, content) => {
      const placement = placements.get(path);
      if (placement) await writeStaged(placement.staged, content);
    },
    place: () => placeAll([...placements.values()]),
    discard: async () => {
      for (const root of Object.values(roots)) {
        await rm(join(root, STAGING), { recursive: true, force: true });
      }
    },
  };
}

async function requireSameEdition(folder: string, placements: Placement[]): Promise<void> {
  const wanted = new Map(placements.map(({ target, sha256 }) => [target, sha256]));
  for (const file of (await listFolder(folder))?.files ?? []) {
    const path = join(folder, file);
    if (wanted.has(path) && (await digestOf(path)) === wanted.get(path)) continue;
    throw new OperatorError(
      `CONTENT_DIR ${folder} holds an edition that is not the backup's (${file}): move it away, or add --keep-content to keep it as it is. Nothing was changed.`,
    );
  }
}

async function writeStaged(staged: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  dataDirectory();
  await mkdir(dirname(staged), { recursive: true, mode: 0o700 });
  await writeFile(staged, content, { mode: 0o600, flush: true });
}

async function placeAll(placements: Placement[]): Promise<string[]> {
  const replaced: string[] = [];
  const folders = new Set<string>();
  const suffix = `.before-restore-${new Date().toISOString().slice(0, 19).replace(/[-:]/g, "")}`;
  // the secret last, because the rest is useless without it
  const inOrder = placements.toSorted(
    (one, other) => Number(isSessionSecret(one.path)) - Number(isSessionSecret(other.path)),
  );
  for (const { root, target, staged, sha256 } of inOrder) {
    const existing = await digestOf(target);
    if (existing === sha256) continue;
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    if (existing !== null) {
      await rename(target, target + suffix);
      replaced.push(target + suffix);
    }
    await rename(staged, target);
    for (const folder of foldersAbove(target, root)) folders.add(folder);
  }
  for (const folder of folders) await syncDirectory(folder);
  return replaced;
}

/** Returns the folders that may be new, and their parent, which holds the first one's name. */
function foldersAbove(target: string, root: string): string[] {
  const folders = [dirname(root)];
  for (let folder = dirname(target); folder !== folders[0]; folder = dirname(folder)) {
    folders.push(folder);
  }
  return folders;
}

/** Returns a file's SHA-256 in hexadecimal; null if it does not exist. */
async function digestOf(path: string): Promise<string | null> {
  const found = await stat(path).catch(() => null);
  if (!found) return null;
  if (!found.isFile()) {
    throw new OperatorError(`${path} is in the way of one of the backup's files: move it away.`);
  }
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex");
}
