import { folderToWrite } from "~/features/library/importer/content-folder.server";
import { holdsEdition, listFolder } from "~/features/library/importer/edition-folder.server";
import { describeProblem, type EditionProblem } from "~/features/library/importer/edition-problem";
import {
  type OutlinedText,
  outlineEdition,
} from "~/features/library/importer/edition-table.server";
import { findWarnings, unparsedParts } from "~/features/library/importer/edition-warnings.server";
import { checkFolder, type FolderCheck } from "~/features/library/importer/import-edition.server";
import type { MediaFile } from "~/features/library/importer/media-files.server";
import {
  type EditionSource,
  isPage,
  isText,
  readSource,
  type SourceDocument,
} from "~/features/library/importer/read-source.server";
import {
  type RenderedDocument,
  referencesOf,
  renderDocument,
} from "~/features/library/importer/render-document.server";
import { SITE_FILE } from "~/features/site/site-file";
import type { FormProblem } from "~/http/form-refusal";

/** The folder of the author's edition as it is now. */
export type BookFolder = {
  folder: string;
  /** Its files, by paths with slashes. */
  files: readonly string[];
  signature: string;
  /** Whether it has an edition; else readers see the sample. */
  hasEdition: boolean;
};

/** What is wrong in a folder, and its texts in order. */
export type CheckedBook = FolderCheck & { texts: OutlinedText[]; notes: EditionProblem[] };

/** What the desk knows of pictures and sounds, which take long to read. */
const knownMedia = new Map<string, MediaFile | string>();

let latest: { key: string; checked: Promise<CheckedBook> } | undefined;

/** Lists the files of the author's folder. */
export async function openBook(): Promise<BookFolder> {
  const folder = folderToWrite();
  const listing = await listFolder(folder);
  const { files = [], signature = "" } = listing ?? {};
  return { folder, files, signature, hasEdition: holdsEdition(listing) };
}

/** Whether authors edit a file of the edition as a text. */
export const isEdited = (path: string) => isText(path) || isPage(path) || path === SITE_FILE;

/** Checks a folder as `content check` does. Takes seconds for a long book, and nothing while no file has changed. */
export function checkBook({ folder, signature }: BookFolder): Promise<CheckedBook> {
  const key = `${folder}\0${signature}`;
  if (latest?.key === key) return latest.checked;
  const checked = checkAll(folder);
  latest = { key, checked };
  checked.catch(() => {
    latest = undefined;
  });
  return checked;
}

async function checkAll(folder: string): Promise<CheckedBook> {
  const check = await checkFolder(folder, { knownMedia });
  const notes = await findWarnings(check, { isSample: false });
  return { ...check, texts: await outlineEdition(check), notes };
}

/** What a check finds in one file as it was typed, beside the others as they are. */
export type TypedCheck = {
  source: EditionSource;
  /** The chapter or extra; null for other files, and where its front matter has a mistake. */
  document: SourceDocument | null;
  /** Null where `problems` say why. */
  rendered: RenderedDocument | null;
  problems: FormProblem[];
  /** What is probably not meant. */
  notes: FormProblem[];
};

/** Checks a file as it was typed. Stores nothing. */
export async function checkTyped(
  { folder, files }: BookFolder,
  path: string,
  content: string,
): Promise<TypedCheck> {
  const typed = new Map([[path, content]]);
  const source = await readSource(folder, [...new Set([...files, path])].sort(), {
    typed,
    knownMedia,
  });
  const document = source.documents.find((each) => each.path === path) ?? null;
  const result = document && renderDocument(document, referencesOf(source));
  const rendered = result && "html" in result ? result : null;
  const found = [
    ...source.problems,
    ...source.siteProblems,
    ...(result && "problems" in result ? result.problems : []),
  ];
  const notes = document ? unparsedParts(document) : source.pageNotes;
  return {
    ...{ source, document, rendered },
    problems: found.filter(({ file }) => file === path).map(inFile),
    notes: notes.filter(({ file }) => file === path).map(inFile),
  };
}

const inFile = ({ line, problem }: EditionProblem) => ({ line, problem });

/** Returns the mistakes that a typed file makes in others, such as another text's number. */
export async function problemsElsewhere(
  book: BookFolder,
  path: string,
  { source }: TypedCheck,
): Promise<EditionProblem[]> {
  const known = new Set((await checkBook(book)).problems.map(describeProblem));
  return source.problems.filter(
    (problem) => problem.file !== path && !known.has(describeProblem(problem)),
  );
}
