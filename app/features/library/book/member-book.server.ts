import type { Readable } from "node:stream";
import { env } from "~/env.server";
import { findImportTime } from "~db/queries/editions";
import type { Edition } from "../edition";
import { bookContents } from "./book-contents";
import { colophonPage } from "./book-pages";
import { writeBook } from "./make-archive.server";

/**
 * Returns a member's copy of the book, made as it is read: all texts published at `now`, and a colophon with their
 * address. Throws the database's errors, and fails while it is read with these and the file system's.
 */
export async function memberBook(
  edition: Edition,
  { email, now }: { email: string; now: Date },
): Promise<Readable> {
  const importedAt = await findImportTime(edition.digest);
  // another instance deleted it, a day after it was replaced
  if (!importedAt) throw new Error("The edition is no longer stored.");
  const contents = bookContents(edition, { now, importedAt, siteUrl: env().PUBLIC_URL });
  return writeBook(contents, colophonPage(contents, { email, now }));
}
