import { copySampleEdition, siteFileOf } from "~/features/library/importer/content-folder.server";
import { planDocument } from "~/features/library/importer/new-document.server";
import { planPage } from "~/features/library/importer/new-page.server";
import { SITE_FILE } from "~/features/site/site-file";
import { OperatorError } from "~db/operator-error";
import { findDrafts, insertDraft } from "~db/queries/desk";
import type { ExtraKind } from "~db/schema";
import type { Author } from "../author.server";
import { recordChange } from "../desk-log.server";
import { type BookFolder, checkBook } from "./check-book.server";
import { explained } from "./write-file.server";

/** What to begin: a text, a page by its name, or `site.yml` as the site is shown now. */
export type NewFile =
  | { kind: "text"; title: string; extraKind: ExtraKind | null }
  | { kind: "page"; name: string }
  | { kind: "site" };

/** Begins a file as a draft, and returns its path. Throws an OperatorError if its title or name is invalid or taken. */
export async function beginFile(
  author: Author,
  book: BookFolder,
  wanted: NewFile,
): Promise<string> {
  const { name, content } = await planFile(book, wanted);
  const draft = { kind: "edition", path: name, content, baseHash: null } as const;
  if (book.files.includes(name) || !(await insertDraft({ ...draft, savedBy: author.userId }))) {
    throw new OperatorError(`There is a ${name} already.`);
  }
  await recordChange(author, `Began ${name}`);
  return name;
}

async function planFile(
  book: BookFolder,
  wanted: NewFile,
): Promise<{ name: string; content: string }> {
  if (wanted.kind === "page") return planPage(wanted.name);
  if (wanted.kind === "site") {
    return { name: SITE_FILE, content: siteFileOf((await checkBook(book)).source) };
  }
  const drafts = await findDrafts("edition");
  const typed = new Map(drafts.map(({ path, content }) => [path ?? "", content]));
  return planDocument(book.folder, { ...wanted, publish: null }, typed);
}

/** Makes the sample edition the author's own. Throws an OperatorError if there is one, or if the folder cannot be written. */
export async function beginWithSample(author: Author): Promise<void> {
  await explained(copySampleEdition);
  await recordChange(author, "Copied the sample edition");
}
