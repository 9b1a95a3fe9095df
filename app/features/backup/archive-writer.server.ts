import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { createGzip } from "node:zlib";
import { createTarPacker } from "modern-tar";
import { END, type End } from "./backup-format";

/** Adds entries to an archive, in order. */
export type ArchiveWriter = {
  /** Adds an entry of exactly this many bytes. */
  add(name: string, bytes: number, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Adds an entry from memory. */
  addBytes(name: string, content: Uint8Array): Promise<void>;
};

/**
 * Streams a gzipped tar archive of the entries that `produce` adds; the last one holds all digests. Fails if
 * `produce` fails, and `produce` fails if the reader stops reading.
 */
export async function* writeArchive(
  produce: (archive: ArchiveWriter) => Promise<End["rows"]>,
): AsyncGenerator<Buffer> {
  const { readable, controller } = createTarPacker();
  const gzip = createGzip();
  const compressed = pipeline(Readable.fromWeb(readable as ReadableStream), gzip);
  // the reader of `gzip` reports the error
  compressed.catch(() => {});
  const produced = produceAll(controller, produce);
  produced.catch((error) => gzip.destroy(error));
  try {
    yield* gzip as AsyncIterable<Buffer>;
    await produced;
  } finally {
    controller.error(new Error("The archive is not read any more."));
    gzip.destroy();
    await produced.catch(() => {});
  }
}

async function produceAll(
  controller: ReturnType<typeof createTarPacker>["controller"],
  produce: (archive: ArchiveWriter) => Promise<End["rows"]>,
): Promise<void> {
  const entries: End["entries"] = [];
  const mtime = new Date();
  const add = async (name: string, bytes: number, content: AsyncIterable<Uint8Array>) => {
    const hash = createHash("sha256");
    const entry = controller.add({ name, size: bytes, mtime, mode: 0o600 }).getWriter();
    // the awaited calls report the error
    entry.closed.catch(() => {});
    for await (const chunk of content) {
      hash.update(chunk);
      await entry.write(chunk);
    }
    await entry.close();
    entries.push({ name, bytes, sha256: hash.digest("hex") });
  };
  const addBytes = (name: string, content: Uint8Array) =>
    add(name, content.length, Readable.from([content], { objectMode: true }));
  const rows = await produce({ add, addBytes });
  const end: End = { entries: [...entries], rows };
  await addBytes(END, Buffer.from(JSON.stringify(end)));
  controller.finalize();
}
