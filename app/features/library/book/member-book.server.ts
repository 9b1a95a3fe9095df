import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, open, rename, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { dataDirectory, reportDataDirectoryFailure } from "~/data-directory.server";
import { env } from "~/env.server";
import { findImportTime } from "~db/queries/editions";
import type { Edition } from "../edition";
import { type BookContents, bookContents, COLOPHON_FILE } from "./book-contents";
import { bookFiles } from "./book-files.server";
import { colophonPage } from "./book-pages";
import { archiveOf, writeBook } from "./make-archive.server";

/** Part of every stored book's name. Raise it when the same edition produces a different book. */
const BOOK_VERSION = 3;

/** Books in progress, by path. */
const making = new Map<string, Promise<void>>();

/** A member's copy of the book. */
export type MemberBook = {
  bytes: number;
  /** Reads it. Opens no file before that. */
  read(): Readable;
};

/**
 * Returns a member's book: all texts published at `now`, and a colophon with their address. Only the colophon differs
 * between members. The rest is cached in `DATA_DIR/library`, where the media clean-up deletes books that were not
 * requested for a day. Throws the database's and the file system's errors.
 */
export async function memberBook(
  edition: Edition,
  { email, now }: { email: string; now: Date },
): Promise<MemberBook> {
  const siteUrl = env().PUBLIC_URL;
  const importedAt = await findImportTime(edition.digest);
  // another instance deleted it, a day after it was replaced
  if (!importedAt) throw new Error("The edition is no longer stored.");
  const contents = bookContents(edition, { now, importedAt, siteUrl });
  const path = await storedBook(contents);
  const base = await archiveEnd(path);
  const colophon = colophonPage(contents, { email, now });
  const single = await archiveOf(`EPUB/${COLOPHON_FILE}`, colophon, now);
  const { file, directoryEnd } = additionOf(single, base);
  return {
    bytes: base.directoryOffset + file.length + base.directoryLength + directoryEnd.length,
    read: () => Readable.from(readParts(path, base, { file, directoryEnd }), { objectMode: false }),
  };
}

async function* readParts(path: string, base: ArchiveEnd, { file, directoryEnd }: Addition) {
  const { directoryOffset, directoryLength } = base;
  // stays open until the end, so the file may be deleted meanwhile
  const stored = await open(path);
  try {
    const part = (start: number, length: number) =>
      stored.createReadStream({ start, end: start + length - 1, autoClose: false });
    yield* part(0, directoryOffset);
    yield file;
    yield* part(directoryOffset, directoryLength);
    yield directoryEnd;
  } finally {
    await stored.close();
  }
}

/** Builds the book unless it is stored. Returns its path. */
async function storedBook(contents: BookContents): Promise<string> {
  const path = join(dataDirectory(), "library", await bookName(contents));
  const now = new Date();
  // also delays its deletion
  const isStored = await utimes(path, now, now).then(
    () => true,
    () => false,
  );
  if (isStored) return path;
  let made = making.get(path);
  if (!made) {
    made = makeBook(contents, path).finally(() => making.delete(path));
    making.set(path, made);
  }
  await made;
  return path;
}

async function bookName({ edition, chapters, extras, siteUrl }: BookContents): Promise<string> {
  const { digest } = await bookFiles();
  const hash = createHash("sha256").update(`${BOOK_VERSION}\0${digest}\0${edition}\0${siteUrl}`);
  for (const { slug } of [...chapters, ...extras]) hash.update(`\0${slug}`);
  return `book-${hash.digest("hex").slice(0, 32)}.zip`;
}

/** Writes to a temporary name and renames: a book with its final name is complete. */
async function makeBook(contents: BookContents, path: string): Promise<void> {
  await mkdir(join(path, ".."), { recursive: true, mode: 0o700 });
  const unfinished = `${path}.${randomUUID()}.part`;
  try {
    await writeBook(contents, createWriteStream(unfinished, { mode: 0o600, flush: true }));
    await rename(unfinished, path);
  } catch (error) {
    reportDataDirectoryFailure(error);
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function archiveEnd(path: string): Promise<ArchiveEnd> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const { buffer } = await file.read({
      buffer: Buffer.alloc(ARCHIVE_END_LENGTH),
      position: size - ARCHIVE_END_LENGTH,
    });
    return readArchiveEnd(buffer);
  } finally {
    await file.close();
  }
}

/**
 * Signature of an archive's end record. An archive is its files, a directory of them, and this record, which locates
 * the directory (PKWARE's APPNOTE, 4.3). A new file goes between files and directory, so the archive need not be read.
 */

const END_SIGNATURE = 0x06054b50;

/** Length of an archive's end record without a comment, in bytes. */
const ARCHIVE_END_LENGTH = 22;

/** Location of an archive's directory. */
type ArchiveEnd = { entries: number; directoryOffset: number; directoryLength: number };

/** Reads an archive's last `ARCHIVE_END_LENGTH` bytes. Throws if the archive is not plain or has a comment. */
function readArchiveEnd(end: Buffer): ArchiveEnd {
  const entries = end.readUInt16LE(10);
  const directoryOffset = end.readUInt32LE(16);
  if (end.readUInt32LE(0) !== END_SIGNATURE || entries >= 0xffff || directoryOffset >= 0xffffffff) {
    throw new Error("The archive has no plain end.");
  }
  return { entries, directoryOffset, directoryLength: end.readUInt32LE(12) };
}

/** What to append to an archive's parts to add a file. */
type Addition = {
  /** Goes after the archive's files. */
  file: Buffer;
  /** Goes after the archive's directory: the new entry and the end record. */
  directoryEnd: Buffer;
};

/** Returns what adds the only file of the archive `single` to an archive that ends like `base`. */
function additionOf(single: Buffer, base: ArchiveEnd): Addition {
  const end = Buffer.from(single.subarray(-ARCHIVE_END_LENGTH));
  const { directoryOffset, directoryLength } = readArchiveEnd(end);
  const file = single.subarray(0, directoryOffset);
  const record = Buffer.from(single.subarray(directoryOffset, directoryOffset + directoryLength));
  // the file's offset
  record.writeUInt32LE(base.directoryOffset, 42);
  end.writeUInt16LE(base.entries + 1, 8);
  end.writeUInt16LE(base.entries + 1, 10);
  end.writeUInt32LE(base.directoryLength + record.length, 12);
  end.writeUInt32LE(base.directoryOffset + file.length, 16);
  return { file, directoryEnd: Buffer.concat([record, end]) };
}
