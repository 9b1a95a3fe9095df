import { createHash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { dataDirectory, reportDataDirectoryFailure } from "~/data-directory.server";
import { mediaName, mediaTypeOf } from "./media-name";

/** An image or sound as it is served. */
export type Media = {
  /** Of the file; its content never changes. */
  path: string;
  mediaType: string;
  bytes: number;
};

type StoredFile = { sha256: string; mediaType: string; bytes: number };

const folder = () => join(dataDirectory(), "library");

/** The image or sound with a name that `mediaName` has made; null if there is none. */
export async function findMedia(name: string): Promise<Media | null> {
  const mediaType = mediaTypeOf(name);
  if (mediaType === null) return null;
  const path = join(folder(), name);
  const found = await stat(path).catch(() => null);
  return found?.isFile() ? { path, mediaType, bytes: found.size } : null;
}

/**
 * Copies a file of an edition's folder into the store, unless it is there. A file is complete once it has its name,
 * and stays what it is when the folder changes. Throws if its content is no longer what was hashed.
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

/** Deletes what is stored and not among `names`, and what a crash has left unfinished, if it is older than `before`. */
export async function deleteUnusedMedia(names: ReadonlySet<string>, before: Date): Promise<void> {
  for (const name of await readdir(folder()).catch(() => [])) {
    if (names.has(name)) continue;
    const path = join(folder(), name);
    const found = await stat(path).catch(() => null);
    if (found && found.mtime < before) await rm(path, { force: true });
  }
}
