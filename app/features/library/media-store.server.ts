import { createHash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { dataDirectory, reportDataDirectoryFailure } from "~/data-directory.server";
import { mediaName, mediaTypeOf } from "./media-name";

/** An image or sound to serve. */
export type Media = {
  /** Path of the file, whose content never changes. */
  path: string;
  mediaType: string;
  bytes: number;
};

type StoredFile = { sha256: string; mediaType: string; bytes: number };

const folder = () => join(dataDirectory(), "library");

/** Finds the image or sound with a name from `mediaName`, or null. */
export async function findMedia(name: string): Promise<Media | null> {
  const mediaType = mediaTypeOf(name);
  if (mediaType === null) return null;
  const path = join(folder(), name);
  const found = await stat(path).catch(() => null);
  return found?.isFile() ? { path, mediaType, bytes: found.size } : null;
}

/**
 * Copies a file of an edition's folder into the store, unless it is there. It gets its name only once complete, and
 * does not change with the folder. Throws if its content no longer matches its hash.
 */
export async function storeMedia(source: string, file: StoredFile): Promise<void> {
  const name = mediaName(file);
  const target = join(folder(), name);
  const known = await stat(target).catch(() => null);
  if (known?.size === file.bytes) return;
  await mkdir(folder(), { recursive: true, mode: 0o700 });
  const unfinished = join(folder(), `${name}.${randomUUID()}.part`);
  const hash = createHash("sha256");
  try {
    await pipeline(
      createReadStream(source),
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk);
          yield chunk;
        }
      },
      createWriteStream(unfinished, { mode: 0o600, flush: true }),
    );
    if (hash.digest("hex") !== file.sha256) {
      throw new Error(`${source} changed while it was read.`);
    }
    await rename(unfinished, target);
  } catch (error) {
    reportDataDirectoryFailure(error);
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** Deletes stored files older than `before` that are not among `names`, including those a crash left incomplete. */
export async function deleteUnusedMedia(names: ReadonlySet<string>, before: Date): Promise<void> {
  for (const name of await readdir(folder()).catch(() => [])) {
    if (names.has(name)) continue;
    const path = join(folder(), name);
    const found = await stat(path).catch(() => null);
    if (found && found.mtime < before) await rm(path, { force: true });
  }
}
