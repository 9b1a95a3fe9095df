import { folderToWrite } from "~/features/library/importer/content-folder.server";
import { holdsEdition, listFolder } from "~/features/library/importer/edition-folder.server";
import type { EditionProblem } from "~/features/library/importer/edition-problem";
import { inTableOrder, tabulateEdition } from "~/features/library/importer/edition-table.server";
import { findWarnings, unparsedParts } from "~/features/library/importer/edition-warnings.server";
import { checkFolder, type FolderCheck } from "~/features/library/importer/import-edition.server";
import type { MediaFile } from "~/features/library/importer/media-files.server";
import { readSource, type SourceDocument } from "~/features/library/importer/read-source.server";
import { referencesOf, renderDocument } from "~/features/library/importer/render-document.server";
import type { FormProblem } from "~/http/form-refusal";

/** The folder of the author's edition as it is now. */
export type EditionFolder = {
  folder: string;
  /** Its files, by paths with slashes. */
  files: readonly string[];
  signature: string;
  /** Whether it has an edition; else readers see the sample. */
  hasEdition: boolean;
};

/** A folder's texts in order, with their rows as in `content list`, and what `content check` finds. */
export type CheckedEdition = FolderCheck & {
  texts: { document: SourceDocument; cells: string[] }[];
  notes: EditionProblem[];
};

/** What the desk knows of pictures and sounds, which take long to read. */
const knownMedia = new Map<string, MediaFile | string>();

let latest: { key: string; checked: Promise<CheckedEdition> } | undefined;

/** Lists the files of the author's folder. */
export async function openEdition(): Promise<EditionFolder> {
  const folder = folderToWrite();
  const listing = await listFolder(folder);
  const { files = [], signature = "" } = listing ?? {};
  return { folder, files, signature, hasEdition: holdsEdition(listing) };
}

/** Checks all of a folder. Takes as long as `content check`, and nothing for an hour while no file changes. */
export function checkEdition({ folder, signature }: EditionFolder): Promise<CheckedEdition> {
  const now = new Date();
  const key = [folder, signature, now.toISOString().slice(0, 13)].join("\0");
  if (latest?.key === key) return latest.checked;
  const checked = checkAll(folder, now);
  latest = { key, checked };
  checked.catch(() => {
    latest = undefined;
  });
  return checked;
}

async function checkAll(folder: string, now: Date): Promise<CheckedEdition> {
  const check = await checkFolder(folder, { knownMedia });
  const [, ...rows] = await tabulateEdition(check, now);
  const documents = inTableOrder(check.source.documents);
  const texts = documents.map((document, index) => ({ document, cells: rows[index] ?? [] }));
  return { ...check, texts, notes: await findWarnings(check, { isSample: false }) };
}

/** Checks and renders one file as it was typed, beside the others as they are. Stores nothing. */
export async function checkTyped({ folder, files }: EditionFolder, path: string, content: string) {
  const source = await readSource(folder, [...new Set([...files, path])].sort(), {
    typed: new Map([[path, content]]),
    knownMedia,
  });
  const document = source.documents.find((each) => each.path === path) ?? null;
  const rendered = document && renderDocument(document, referencesOf(source));
  const found = [...source.problems, ...source.siteProblems];
  if (rendered && "problems" in rendered) found.push(...rendered.problems);
  const here = (all: readonly EditionProblem[]): FormProblem[] =>
    all.filter(({ file }) => file === path).map(({ line, problem }) => ({ line, problem }));
  return {
    ...{ source, document },
    /** Null where `problems` say why. */
    rendered: rendered && "html" in rendered ? rendered : null,
    problems: here(found),
    /** What is probably not meant. */
    notes: here(document ? unparsedParts(document) : source.pageNotes),
  };
}
