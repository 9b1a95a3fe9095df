import { isDraft } from "~/features/library/draft";
import type { EditionProblem } from "~/features/library/importer/edition-problem";
import { isText } from "~/features/library/importer/read-source.server";
import { SITE_FILE } from "~/features/site/site-file";
import { findDrafts } from "~db/queries/desk";
import type { DocumentKind } from "~db/schema";
import { type BookFolder, checkBook, isEdited } from "./check-book.server";
import { whyUnwritable } from "./write-file.server";

/** A text of the book in the desk's list. */
export type ListedText = {
  path: string;
  kind: DocumentKind;
  title: string;
  state: "published" | "draft" | { from: string };
  words: number | null;
  minutes: number | null;
  sound: string;
  isPublic: boolean;
};

/** What is common to the lists of the book and of the site. */
export type Listed = {
  folder: string;
  /** Whether the folder has an edition; else readers see the sample. */
  hasEdition: boolean;
  /** Why the folder cannot be written; null if it can. */
  unwritable: string | null;
  problems: EditionProblem[];
  notes: EditionProblem[];
  /** Files whose draft is not saved to the book, and whether the folder has the file. */
  drafts: { path: string; hasFile: boolean }[];
};

async function listFiles(book: BookFolder, isListed: (path: string) => boolean): Promise<Listed> {
  const { folder, hasEdition, files } = book;
  const { problems, notes } = await checkBook(book);
  const drafts = (await findDrafts("edition")).map(({ path }) => path ?? "");
  return {
    ...{ folder, hasEdition },
    unwritable: await whyUnwritable(folder),
    problems: hasEdition ? problems.filter(({ file }) => isListed(file)) : [],
    notes: hasEdition ? notes.filter(({ file }) => isListed(file)) : [],
    drafts: drafts.filter(isListed).map((path) => ({ path, hasFile: files.includes(path) })),
  };
}

const isOfSite = (path: string) => path === SITE_FILE || path.startsWith("pages/");

/** Lists the texts of the book in their order, with what is wrong in the folder. */
export async function listTexts(
  book: BookFolder,
  now: Date,
): Promise<Listed & { texts: ListedText[] }> {
  const { texts } = await checkBook(book);
  return {
    ...(await listFiles(book, (path) => !isOfSite(path))),
    texts: texts.map(({ document, ...text }) => {
      const { path, kind, title, publishAt, isPublic } = document;
      const isOut = publishAt === null || publishAt <= now;
      const state = isOut
        ? "published"
        : isDraft({ publishAt })
          ? "draft"
          : { from: publishAt.toISOString() };
      return { ...{ path, kind, title, state, isPublic }, ...text };
    }),
  };
}

/** Lists the files of the site: `site.yml` and the pages. */
export async function listSiteFiles(book: BookFolder): Promise<Listed & { files: string[] }> {
  const files = book.files.filter((path) => isEdited(path) && !isText(path));
  return { ...(await listFiles(book, isOfSite)), files };
}
