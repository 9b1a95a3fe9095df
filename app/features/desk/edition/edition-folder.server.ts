import { folderToWrite } from "~/features/library/importer/content-folder.server";
import { type FolderListing, listFolder } from "~/features/library/importer/edition-folder.server";
import type { EditionProblem } from "~/features/library/importer/edition-problem";
import { tabulateEdition } from "~/features/library/importer/edition-table.server";
import { findWarnings, unparsedParts } from "~/features/library/importer/edition-warnings.server";
import { checkFolder } from "~/features/library/importer/import-edition.server";
import { readSource } from "~/features/library/importer/read-source.server";
import { referencesOf, renderDocument } from "~/features/library/importer/render-document.server";
import type { FormProblem } from "~/http/form-refusal";

/** The folder of the author's edition as it is now. Without files, readers see the sample. */
export type EditionFolder = FolderListing & { folder: string };

let latest: { key: string; checked: ReturnType<typeof checkAll> } | undefined;

/** Lists the files of the author's folder. */
export async function openEdition(): Promise<EditionFolder> {
  const folder = folderToWrite();
  return { folder, ...((await listFolder(folder)) ?? { files: [], signature: "" }) };
}

/**
 * Checks all of a folder: its texts in order, with their rows as in `content list`, and what `content check` finds. Takes as long
 * as that, and nothing for an hour while no file changes.
 */
export function checkEdition({ folder, signature }: EditionFolder): ReturnType<typeof checkAll> {
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

async function checkAll(folder: string, now: Date) {
  const check = await checkFolder(folder);
  const texts = await tabulateEdition(check, now);
  return { ...check, texts, notes: await findWarnings(check, { isSample: false }) };
}

/** Checks and renders one file as it was typed, beside the others as they are. Stores nothing. */
export async function checkTyped({ folder, files }: EditionFolder, path: string, content: string) {
  const typed = new Map([[path, content]]);
  const source = await readSource(folder, [...new Set([...files, path])], typed);
  const document = source.documents.find((each) => each.path === path) ?? null;
  const rendered = document && renderDocument(document, referencesOf(source));
  const found = [...source.problems, ...source.siteProblems];
  if (rendered && "problems" in rendered) found.push(...rendered.problems);
  const here = (all: readonly EditionProblem[]): FormProblem[] =>
    all.filter(({ file }) => file === path).map(({ line, problem }) => ({ line, problem }));
  return {
    source,
    document,
    /** That of a text without mistakes. */
    html: rendered && "html" in rendered ? rendered.html : null,
    problems: here(found),
    /** What is probably not meant. */
    notes: here(document ? unparsedParts(document) : source.pageNotes),
  };
}
