import { posix, relative } from "node:path";
import { isSoundName, readMediaFile } from "~/features/library/importer/media-files.server";
import { slugFor } from "~/features/library/importer/text-slug";
import { mediaName } from "~/features/library/media-name";
import { findMemberMedia, type ServedMedia } from "~/features/library/served-media.server";
import { siteImages } from "~/features/site/site";
import { OperatorError } from "~db/operator-error";
import { findDrafts } from "~db/queries/desk";
import type { Author } from "../author.server";
import { recordChange } from "../desk-log.server";
import { type BookFolder, checkBook } from "./check-book.server";
import { moveAway, placeIn, writeWhole } from "./write-file.server";

/** A picture or sound of the folder. */
export type ListedMedia = {
  path: string;
  /** Null for a file that cannot be used; `problem` says why. */
  bytes: number | null;
  problem: string | null;
  /** Files that show it or link to it, and drafts that name it. */
  usedBy: string[];
};

/** Lists the pictures and sounds of the folder by their paths. */
export async function listMedia(book: BookFolder): Promise<ListedMedia[]> {
  const { source, mediaInTexts } = await checkBook(book);
  const drafts = await findDrafts("edition");
  const ofSite = new Set(source.site ? siteImages(source.site) : []);
  const namedInDrafts = (path: string) =>
    drafts
      .filter(({ content }) => content.includes(posix.basename(path)))
      .map((draft) => `the draft of ${draft.path}`);
  const usable = [...source.media.values()].map((media) => {
    const name = mediaName(media);
    const usedBy = [
      ...(mediaInTexts.get(name) ?? []),
      ...source.documents.filter(({ audio }) => audio === media.path).map(({ path }) => path),
      ...(ofSite.has(name) ? ["the site"] : []),
      ...namedInDrafts(media.path),
    ];
    return { path: media.path, bytes: media.bytes, problem: null, usedBy: [...new Set(usedBy)] };
  });
  const unusable = [...source.unusable].map(([path, problem]) => {
    return { path, bytes: null, problem, usedBy: namedInDrafts(path) };
  });
  return [...usable, ...unusable].sort((one, other) => one.path.localeCompare(other.path, "en"));
}

/**
 * Stores a picture or sound in the folder's `media`, by the rules of the edition, and returns its path. Throws an OperatorError that
 * says why it cannot, as where there is another file of that name and it is not to be replaced.
 */
export async function storeUpload(
  author: Author,
  book: BookFolder,
  { name, bytes, replaces }: { name: string; bytes: Uint8Array; replaces: boolean },
): Promise<string> {
  const extension = /\.[a-z0-9]+$/.exec(name.toLowerCase())?.[0] ?? "";
  const slug = slugFor(posix.basename(name).slice(0, -extension.length || undefined));
  const path = `media/${slug ?? (isSoundName(name) ? "sound" : "picture")}${extension}`;
  if (book.files.includes(path) && !replaces) {
    throw new OperatorError(
      `There is a ${path} already. Give the file another name, or replace it.`,
    );
  }
  await writeWhole(book.folder, path, bytes, async (file) => {
    const media = await readMediaFile(book.folder, relative(book.folder, file));
    if (typeof media === "string") throw new OperatorError(`This file is not taken: ${media}.`);
  });
  await recordChange(author, `Uploaded ${path}`);
  return path;
}

/** Moves a picture or sound that nothing uses to the folder of deleted files. Throws an OperatorError if it is used. */
export async function deleteMedia(author: Author, book: BookFolder, path: string): Promise<void> {
  const media = (await listMedia(book)).find((each) => each.path === path);
  if (!media || media.usedBy.length > 0) {
    throw new OperatorError(
      media ? `${path} is used by ${media.usedBy.join(", ")}.` : "There is no such file.",
    );
  }
  const name = book.files.find((file) => file.normalize() === path) ?? path;
  await moveAway(book.folder, name, new Date());
  await recordChange(author, `Deleted ${path}`);
}

/** Finds the picture or sound of this name, of the folder or of the editions before; null if there is none. */
export async function findBookMedia(book: BookFolder, name: string): Promise<ServedMedia | null> {
  const { media } = (await checkBook(book)).source;
  const found = [...media.values()].find((each) => mediaName(each) === name);
  if (!found) return findMemberMedia(name);
  const path = book.files.find((file) => file.normalize() === found.path) ?? found.path;
  const { mediaType, bytes } = found;
  return { path: await placeIn(book.folder, path), mediaType, bytes, tag: name };
}
