import { posix } from "node:path";
import { changeFrontMatter } from "~/features/library/importer/change-front-matter";
import type { SourceDocument } from "~/features/library/importer/read-source.server";
import { MAX_SLUG, SLUG } from "~/features/library/importer/text-slug";
import { OperatorError } from "~db/operator-error";
import type { Author } from "../author.server";
import { recordChange } from "../desk-log.server";
import { type BookFolder, checkBook } from "./check-book.server";
import { readEdited, requireNoDraft } from "./edition-drafts.server";
import { moveAway, renameFile, writeWhole } from "./write-file.server";

/** The name of a Markdown file in a text. */
const TEXT_NAME = /[^\s()<>[\]"'`*/#]+\.(?:md|markdown)/gi;

/** Writes a file of the book with its text changed. */
async function rewrite(book: BookFolder, path: string, change: (text: string) => string) {
  const file = await readEdited(book, path);
  const changed = file && change(file.content);
  if (file && changed !== null && changed !== file.content)
    await writeWhole(book.folder, path, changed);
}

/** Moves a text one place up (-1) or down (1) in its order. Throws an OperatorError if it cannot. */
export async function moveText(
  author: Author,
  book: BookFolder,
  path: string,
  by: 1 | -1,
): Promise<void> {
  const texts = (await checkBook(book)).texts.map(({ document }) => document);
  const at = texts.findIndex((text) => text.path === path);
  const [text, other] = [texts[at], texts[at + by]];
  if (!text || text.kind !== other?.kind) return;
  await requireNoDraft([path, other.path]);
  if (text.order === other.order) {
    throw new OperatorError(`${path} and ${other.path} have the same order. Change one of them.`);
  }
  await rewrite(book, path, (content) => changeFrontMatter(content, { order: other.order }));
  await rewrite(book, other.path, (content) => changeFrontMatter(content, { order: text.order }));
  await recordChange(author, `Moved ${path} ${by < 0 ? "up" : "down"}`);
}

/**
 * Gives a text another slug, and returns its new path. Links of other texts follow, and the slug that it was published under first
 * leads to it. Throws an OperatorError if the slug is invalid or taken, or if the text has a mistake or a draft.
 */
export async function renameText(
  author: Author,
  book: BookFolder,
  path: string,
  slug: string,
): Promise<string> {
  const { documents } = (await checkBook(book)).source;
  const text = documents.find((each) => each.path === path);
  if (!text) throw new OperatorError("Save the text to the book without mistakes first.");
  if (!SLUG.test(slug) || slug.length > MAX_SLUG) {
    throw new OperatorError(
      "Wanted lower-case letters, digits and single hyphens, such as small-hinges.",
    );
  }
  const next = pathWith(text, slug);
  if (next === path) return path;
  const taken = documents.find((each) => each !== text && [each.slug, each.id].includes(slug));
  if (taken || book.files.includes(next)) {
    throw new OperatorError(`There is a text at this address already: ${taken?.path ?? next}.`);
  }
  const withLinks = (content: string) =>
    content.replace(TEXT_NAME, (name) =>
      name === posix.basename(path) ? posix.basename(next) : name,
    );
  const linking = documents.filter((each) => each !== text && withLinks(each.body) !== each.body);
  await requireNoDraft([path, ...linking.map((each) => each.path)]);
  for (const each of linking) await rewrite(book, each.path, withLinks);
  const id = text.id === slug ? null : text.id;
  await rewrite(book, path, (content) => changeFrontMatter(content, { id }));
  await renameFile(book.folder, path, next);
  await recordChange(author, `Renamed ${path} to ${next}`);
  return next;
}

function pathWith({ path }: SourceDocument, slug: string): string {
  const [number = ""] = /^\d+[-_]/.exec(posix.basename(path)) ?? [];
  return posix.join(posix.dirname(path), `${number}${slug}.md`);
}

/** Moves a text or page to the folder of deleted files, and returns its path there. Throws an OperatorError if it has a draft. */
export async function deleteText(author: Author, book: BookFolder, path: string): Promise<string> {
  await requireNoDraft([path]);
  if (!(await readEdited(book, path))) throw new OperatorError(`There is no ${path}.`);
  const moved = await moveAway(book.folder, path, new Date());
  await recordChange(author, `Deleted ${path}`);
  return moved;
}
