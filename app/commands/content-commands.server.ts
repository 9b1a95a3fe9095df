import { basename, resolve } from "node:path";
import { env } from "~/env.server";
import { importBook } from "~/features/library/book-import/import-book.server";
import { isDraft } from "~/features/library/draft";
import { draftPath, PREVIEW_DAYS, previewToken } from "~/features/library/draft-preview.server";
import { accessibilityReport } from "~/features/library/importer/accessibility";
import {
  copySampleEdition,
  createFile,
  folderToWrite,
  sampleFolder,
  siteFileOf,
} from "~/features/library/importer/content-folder.server";
import { holdsEdition, listFolder } from "~/features/library/importer/edition-folder.server";
import {
  BrokenEdition,
  describeProblem,
  type EditionProblem,
} from "~/features/library/importer/edition-problem";
import {
  COLUMNS,
  describeDay,
  isOfWords,
  tabulateEdition,
} from "~/features/library/importer/edition-table.server";
import { findWarnings } from "~/features/library/importer/edition-warnings.server";
import { checkFolder, type FolderCheck } from "~/features/library/importer/import-edition.server";
import { EXTRA_KINDS, planDocument } from "~/features/library/importer/new-document.server";
import { planPage } from "~/features/library/importer/new-page.server";
import { alignColumns } from "~/features/newsletter/align-columns";
import { formatCount } from "~/features/newsletter/format-count";
import { OperatorError } from "~db/operator-error";
import type { ExtraKind } from "~db/schema";
import { note, print } from "./output.server";
import { withDatabase } from "./with-database.server";

// a command is the export of its name
export { copySample as "copy-sample", createText as new, importText as import, printSite as site };

type NewOptions = { extra?: string; publish?: string; page?: string };

/** Maximum number of mistakes that an import prints. */
const SHOWN_MISTAKES = 10;

/**
 * `content check`: prints every mistake, and exits with 1 if there is one. Else prints what a person has to look at for
 * an accessible e-book.
 */
export async function check(directory: string | undefined): Promise<void> {
  const folder = await folderToRead(directory);
  const found = await readFolder(folder);
  const warnings = await findWarnings(found, { isSample: folder === sampleFolder() });
  for (const problem of inOrder(found.problems)) print(describeProblem(problem));
  for (const warning of inOrder(warnings)) note(`Note: ${describeProblem(warning)}`);
  if (found.problems.length > 0) {
    process.exitCode = 1;
    return note(`${formatCount(found.problems.length, "mistake")} in ${folder}.`);
  }
  print(`No mistakes: ${describeContent(found)}.`);
  for (const line of accessibilityReport(found.source)) print(line);
}

/** `content list`: prints what is published, and the dates of the rest; exits with 1 if the edition has mistakes. */
export async function list(directory: string | undefined): Promise<void> {
  const found = await readFolder(await folderToRead(directory));
  const now = new Date();
  const rows = (await tabulateEdition(found, now)).map(({ cells }) => cells);
  for (const line of alignColumns([COLUMNS, ...rows], isOfWords)) print(line);
  const waiting = found.source.documents
    .flatMap(({ title, publishAt }) =>
      publishAt !== null && publishAt > now && !isDraft({ publishAt })
        ? [{ title, publishAt }]
        : [],
    )
    .sort((one, other) => one.publishAt.getTime() - other.publishAt.getTime());
  const [next] = waiting;
  if (next) {
    note(`\n${waiting.length} to come, next '${next.title}' on ${describeDay(next.publishAt)}.`);
  }
  if (found.problems.length > 0) {
    process.exitCode = 1;
    const mistakes = formatCount(found.problems.length, "mistake");
    note(`\nThe site doesn't use this edition: it has ${mistakes}; see 'content check'.`);
  }
}

/** `content site`: prints the site.yml that equals the site of the author's folder, or of the sample. */
async function printSite(): Promise<void> {
  print(siteFileOf((await readFolder(await folderToRead(undefined))).source));
}

/** `content new`: creates the file of a new chapter, extra or page, and prints its path. */
async function createText(
  title: string | undefined,
  { extra, publish, page }: NewOptions,
): Promise<void> {
  if (page !== undefined) {
    print(await createFile(folderToWrite(), planPage(page)));
    return note("Fill in what stands in [[double brackets]]; until then the page isn't shown.");
  }
  if (title === undefined) throw new OperatorError("Wanted a title, or --page.");
  const extraKind = extra === undefined ? null : readExtraKind(extra);
  const folder = folderToWrite();
  const isFirst = !holdsEdition(await listFolder(folder));
  const document = await planDocument(folder, { title, extraKind, publish: publish ?? null });
  print(await createFile(folder, document));
  note("Write its text; until then the site keeps serving what it has.");
  if (isFirst) {
    note(
      "It is the first of an edition, which will replace all of the sample edition that the site serves now. " +
        "To start from the sample instead, delete the file and run 'content copy-sample'.",
    );
  }
}

/** `content copy-sample`: copies the sample edition to CONTENT_DIR, which must hold no edition. */
async function copySample(): Promise<void> {
  print(await copySampleEdition());
}

/** `content import`: makes an edition of a book in CONTENT_DIR, which has no texts yet. Exits with 1 if it has mistakes. */
async function importText(path: string, { dryRun = false }: { dryRun?: boolean }): Promise<void> {
  const folder = folderToWrite();
  const files = (await listFolder(folder))?.files ?? [];
  if (!dryRun && files.some((file) => /^(?:chapters|extras|media)\//.test(file))) {
    throw new OperatorError(
      `Nothing was imported: there is an edition in ${folder}; move it away.`,
    );
  }
  const { check: made, losses } = await importBook(resolve(path), folder, { isDryRun: dryRun });
  for (const line of losses) note(line);
  const { problems } = made;
  for (const problem of inOrder(problems).slice(0, SHOWN_MISTAKES)) print(describeProblem(problem));
  print(`${dryRun ? "Would import" : "Imported"}: ${describeContent(made)}.`);
  if (problems.length === 0) return;
  process.exitCode = 1;
  note(
    `The site uses it once ${formatCount(problems.length, "mistake")} in it ${problems.length === 1 ? "is" : "are"} fixed; see 'content check'.`,
  );
}

/** `content preview`: prints the addresses at which the author sees unpublished texts, or the one named. */
export async function preview(name: string | undefined): Promise<void> {
  const { source, problems } = await readFolder(await folderToRead(undefined));
  const now = new Date();
  const shown = source.documents.filter(({ path, slug, publishAt }) =>
    name === undefined
      ? publishAt !== null && publishAt > now
      : slug === name || path === name || basename(path) === name,
  );
  if (shown.length === 0) {
    throw new OperatorError(
      name === undefined
        ? "Every text is published. A text with 'publish: draft' isn't."
        : `There is no text '${name}'; wanted its slug or its file, as 'content list' and the folder have them.`,
    );
  }
  await withDatabase(async () => {
    const token = await previewToken(now);
    for (const { slug } of shown) print(new URL(draftPath(token, slug), env().PUBLIC_URL).href);
  });
  note(
    `For ${PREVIEW_DAYS} days, anyone with such an address can read every text. Keep it to yourself.`,
  );
  if (problems.length > 0) {
    note("The site shows the last edition without mistakes; see 'content check'.");
  }
}

/** The folder that a command reads. Where the site would serve the sample edition, returns that and says so. */
async function folderToRead(directory: string | undefined): Promise<string> {
  if (directory !== undefined) return resolve(directory);
  const { CONTENT_DIR } = env();
  if (holdsEdition(await listFolder(CONTENT_DIR))) {
    note(`The edition in ${CONTENT_DIR}:`);
    return CONTENT_DIR;
  }
  note(`There is no edition in ${CONTENT_DIR}; this is the sample edition:`);
  return sampleFolder();
}

async function readFolder(folder: string): Promise<FolderCheck> {
  try {
    if (!holdsEdition(await listFolder(folder))) {
      throw new OperatorError(`There is no edition in ${folder}: no folder 'chapters'.`);
    }
    return await checkFolder(folder);
  } catch (error) {
    if (error instanceof BrokenEdition) throw new OperatorError(error.message);
    throw error;
  }
}

function readExtraKind(text: string): ExtraKind {
  const kind = EXTRA_KINDS.find((known) => known === text);
  if (kind) return kind;
  throw new OperatorError(`--extra: found '${text}', wanted one of ${EXTRA_KINDS.join(", ")}.`);
}

function inOrder(problems: readonly EditionProblem[]): EditionProblem[] {
  return problems.toSorted(
    (one, other) => one.file.localeCompare(other.file, "en") || (one.line ?? 0) - (other.line ?? 0),
  );
}

function describeContent({ source, wordCounts }: FolderCheck): string {
  const { documents, media } = source;
  const chapters = documents.filter(({ kind }) => kind === "chapter").length;
  const words = [...wordCounts.values()].reduce((sum, each) => sum + each, 0);
  const images = [...media.values()].filter(({ width }) => width !== null).length;
  return [
    formatCount(chapters, "chapter"),
    formatCount(documents.length - chapters, "extra"),
    formatCount(words, "word"),
    formatCount(images, "image"),
    formatCount(media.size - images, "sound"),
  ].join(", ");
}
