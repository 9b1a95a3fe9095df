import { basename, dirname, join, posix } from "node:path";
import { changeFrontMatter } from "~/features/library/importer/change-front-matter";
import { copySampleEdition } from "~/features/library/importer/content-folder.server";
import { holdsEdition } from "~/features/library/importer/edition-folder.server";
import { describeProblem, type EditionProblem } from "~/features/library/importer/edition-problem";
import { unusedFiles } from "~/features/library/importer/edition-warnings.server";
import { readMediaFile } from "~/features/library/importer/media-files.server";
import { slugFor } from "~/features/library/importer/text-slug";
import { mediaName } from "~/features/library/media-name";
import { findMemberMedia } from "~/features/library/served-media.server";
import { OperatorError } from "~db/operator-error";
import { findDrafts } from "~db/queries/desk";
import type { Author } from "../author.server";
import { recordChange } from "../desk-log.server";
import { mayEdit, readFileText, requireNoDraft } from "./edition-drafts.server";
import { checkEdition, type EditionFolder } from "./edition-folder.server";
import { listPath } from "./edition-paths";
import { explained, renameFile, whyUnwritable, writeWhole } from "./write-file.server";

/** The name of a Markdown file in a text. */
const TEXT_NAME = /[^\s()<>[\]"'`*/#]+\.(?:md|markdown)/gi;

async function rewrite(edition: EditionFolder, path: string, change: (text: string) => string) {
  const file = await readFileText(edition, path);
  if (file) await writeWhole(edition.folder, path, change(file.content));
}

/** Moves a text one place up (-1) or down (1). Throws an OperatorError if it cannot. */
export async function moveText(author: Author, edition: EditionFolder, path: string, by: 1 | -1) {
  const texts = (await checkEdition(edition)).texts.map(({ document }) => document);
  const at = texts.findIndex((text) => text.path === path);
  const [text, other] = [texts[at], texts[at + by]];
  if (!text || text.kind !== other?.kind) return;
  await requireNoDraft(path, other.path);
  await rewrite(edition, path, (content) => changeFrontMatter(content, { order: other.order }));
  await rewrite(edition, other.path, (content) =>
    changeFrontMatter(content, { order: text.order }),
  );
  await recordChange(author, `Moved ${path} ${by < 0 ? "up" : "down"}`);
}

/**
 * Gives a text the slug of a name, and returns its new path. Links of other texts follow, and the slug that it was first published
 * under leads to it. Throws an OperatorError if the slug is taken, or if the text has a mistake or a draft.
 */
export async function renameText(
  author: Author,
  edition: EditionFolder,
  path: string,
  wanted: string,
): Promise<string> {
  const { documents } = (await checkEdition(edition)).source;
  const text = documents.find((each) => each.path === path);
  if (!text) throw new OperatorError("Save the text without mistakes first.");
  const slug = slugFor(wanted) ?? text.slug;
  const name = posix.basename(path);
  const newName = `${/^\d+[-_]/.exec(name)?.[0] ?? ""}${slug}.md`;
  const next = posix.join(posix.dirname(path), newName);
  const taken = documents.some((each) => each !== text && [each.slug, each.id].includes(slug));
  if (taken || edition.files.includes(next)) throw new OperatorError("This name is taken.");
  const withLinks = (content: string) =>
    content.replace(TEXT_NAME, (found) => (found === name ? newName : found));
  const linking = documents.filter(({ body }) => withLinks(body) !== body).map((each) => each.path);
  await requireNoDraft(path, ...linking);
  for (const each of linking) await rewrite(edition, each, withLinks);
  const id = text.id === slug ? null : text.id;
  await rewrite(edition, path, (content) => changeFrontMatter(content, { id }));
  await renameFile(edition.folder, path, next);
  await recordChange(author, `Renamed ${path} to ${next}`);
  return next;
}

/** Moves a text or page to the folder of deleted files, and returns its path there. Throws an OperatorError if it has a draft. */
export async function deleteText(author: Author, edition: EditionFolder, path: string) {
  await requireNoDraft(path);
  return moveAway(author, edition, path);
}

async function moveAway(author: Author, { folder }: EditionFolder, path: string) {
  const time = new Date().toISOString().replaceAll(":", "-");
  const kept = `.deleted/${time}-${posix.basename(path)}`;
  await renameFile(folder, path, kept);
  await recordChange(author, `Deleted ${path}`);
  return kept;
}

/** Makes the sample edition the author's own. Throws an OperatorError if there is one, or if the folder cannot be written. */
export async function beginWithSample(author: Author, { folder }: EditionFolder): Promise<void> {
  await explained(folder, copySampleEdition);
  await recordChange(author, "Copied the sample edition");
}

/** Lists the files of the page at `listedAt`, the book's or the site's, and what is wrong in the folder. */
export async function listEdition(edition: EditionFolder, listedAt: string) {
  const { folder, files } = edition;
  const hasEdition = holdsEdition(edition);
  const { source, texts, problems, notes } = await checkEdition(edition);
  const drafts = (await findDrafts("edition")).map(({ path }) => path ?? "");
  const inTable = texts.map(({ document }) => document.path);
  const described = (found: EditionProblem[]) =>
    (hasEdition ? found : []).map((each) => ({ line: null, problem: describeProblem(each) }));
  return {
    folder,
    hasEdition,
    drafts,
    unwritable: await whyUnwritable(folder),
    texts: texts.map(({ document: { path }, cells }) => ({ path, cells })),
    /** Texts and pages that are not in the table of texts: also those with a mistake, and drafts without a file. */
    files: [...new Set([...files, ...drafts])].filter(
      (path) => mayEdit(edition, path) && listPath(path) === listedAt && !inTable.includes(path),
    ),
    media: files.filter((path) =>
      [source.media, source.unusable].some((found) => found.has(path.normalize())),
    ),
    problems: described(problems),
    notes: described(notes),
  };
}

/** What a page of the book or the site lists. */
export type EditionList = Awaited<ReturnType<typeof listEdition>>;

/**
 * Stores a picture or sound in the folder's `media`, by the rules of an edition, and returns its path. Throws an OperatorError that
 * says why not, as where there is another file of that name and it is not to be replaced.
 */
export async function storeUpload(
  author: Author,
  { folder, files }: EditionFolder,
  { name, bytes }: { name: string; bytes: Uint8Array },
  replaces: boolean,
): Promise<string> {
  const { name: words, ext } = posix.parse(name.toLowerCase());
  const path = `media/${slugFor(words) ?? "file"}${ext}`;
  if (files.includes(path) && !replaces) throw new OperatorError(`There is a ${path} already.`);
  await writeWhole(folder, path, bytes, async (file) => {
    const media = await readMediaFile(dirname(file), basename(file));
    if (typeof media === "string") throw new OperatorError(`This file is not taken: ${media}.`);
  });
  await recordChange(author, `Uploaded ${path}`);
  return path;
}

/** Moves a picture or sound to the folder of deleted files. Throws an OperatorError if the site, a text or a draft shows it. */
export async function deleteMedia(author: Author, edition: EditionFolder, path: string) {
  const isUnused = unusedFiles(await checkEdition(edition)).some(({ file }) => file === path);
  const drafts = await findDrafts("edition");
  if (!isUnused || drafts.some(({ content }) => content.includes(posix.basename(path)))) {
    throw new OperatorError(`${path} is used, so it stays.`);
  }
  await moveAway(author, edition, path);
}

/** Finds the picture or sound of this name, of the folder or of the editions before; null if there is none. */
export async function findEditionMedia(edition: EditionFolder, name: string) {
  const { media } = (await checkEdition(edition)).source;
  const found = [...media.values()].find((each) => mediaName(each) === name);
  if (!found) return findMemberMedia(name);
  return { ...found, path: join(edition.folder, found.path), tag: name };
}
