import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import pMap from "p-map";
import { currentSite, siteHost } from "~/features/site/current-site.server";
import { SAMPLE_SITE } from "~/features/site/sample-site";
import { type Site, siteImages } from "~/features/site/site";
import { unnamedSite } from "~/features/site/site-file";
import { db } from "~db/client";
import { renewSearchIndex } from "~db/queries/edition-search";
import {
  type DocumentOutline,
  findEdition,
  findEditionFiles,
  findRenderings,
  insertDocuments,
  insertEdition,
  insertEditionFiles,
  type NewDocument,
  touchEdition,
} from "~db/queries/editions";
import type { EditionFile } from "~db/schema";
import { currentEdition } from "../current-edition.server";
import { Edition, type EditionEntry } from "../edition";
import { MEDIA_PATH } from "../library-paths";
import { mediaName } from "../media-name";
import { storeMedia } from "../media-store.server";
import { paragraphsOf } from "../stored-html";
import { listFolder } from "./edition-folder.server";
import { BrokenEdition, type EditionProblem } from "./edition-problem";
import { type LandingWords, withLandingWords } from "./landing-file";
import { durationOf, isSoundName } from "./media-files.server";
import {
  belongsToEdition,
  type EditionSource,
  readSource,
  type SourceDocument,
} from "./read-source.server";
import {
  type References,
  type RenderedDocument,
  referencesOf,
  renderDocument,
  renderKeyOf,
  typographic,
} from "./render-document.server";

/** Part of every digest. Raise it to import unchanged folders again, as after a change in rendering. */
const IMPORT_VERSION = 3;

/** Maximum length in characters of a summary that is made of the text. */
const MAX_BEGINNING = 160;

/** Documents rendered and stored per batch. A page request may wait for one batch. */
const BATCH = 25;

/** Maximum number of concurrent reads, since each takes several turns of a busy event loop. */
const CONCURRENT_READS = 8;

/** Address of an image that a text shows, or of a file that it links to. */
const MEDIA_ADDRESS = new RegExp(`"${MEDIA_PATH}([^"]+)"`, "g");

/** Thrown if a folder changes while it is read, since the result may mix two editions. */
export class EditionChanging extends Error {}

/**
 * Imports a folder as an edition, unless it is stored already: all of it or nothing. Throws a BrokenEdition that lists
 * all problems, or EditionChanging.
 */
export async function importEdition(folder: string): Promise<Edition> {
  const listing = await listFolder(folder);
  const files = listing?.files ?? [];
  const digest = await digestOf(folder, files);
  const stored = await loadEdition(digest);
  // this DATA_DIR may lack its files, as on another instance or after a restore
  const media = stored ? await findEditionFiles(digest) : null;
  const source = stored ? null : await readSource(folder, files);
  if ((await listFolder(folder))?.signature !== listing?.signature) throw new EditionChanging();
  const names = new Map(files.map((path) => [path.normalize(), path]));
  for (const file of media ?? source?.media.values() ?? []) {
    if (file.path.startsWith(KEPT)) continue;
    await storeMedia(join(folder, names.get(file.path) ?? file.path), file);
  }
  if (stored) {
    await touchEdition(digest);
    return stored;
  }
  if (source) await storeEdition(source, digest);
  const edition = await loadEdition(digest);
  if (!edition) throw new Error("An edition was deleted while it was imported.");
  return edition;
}

/**
 * Identifies an edition by the content of its files: equal folders have the same digest. It parses nothing, so a known
 * edition of thousands of files is found quickly.
 */
async function digestOf(folder: string, files: readonly string[]): Promise<string> {
  const digest = createHash("sha256").update(`${IMPORT_VERSION}`);
  const paths = files.filter(belongsToEdition);
  const digests = await pMap(paths, (path) => digestOfFile(folder, path), {
    concurrency: CONCURRENT_READS,
  });
  for (const [index, path] of paths.entries()) {
    digest.update(`\0${path.normalize()}\0${digests[index]}`);
  }
  return digest.digest("hex");
}

async function digestOfFile(folder: string, path: string): Promise<string> {
  const hash = createHash("sha256");
  try {
    if (isSoundName(path)) {
      for await (const chunk of createReadStream(join(folder, path))) hash.update(chunk);
    } else {
      hash.update(await readFile(join(folder, path)));
    }
  } catch (error) {
    // reported when the file is used
    hash.update(String((error as NodeJS.ErrnoException).code));
  }
  return hash.digest("hex");
}

/** An edition's site as stored, with the mistakes that keep a newer one out. */
type StoredSite = { site: Site; problems: EditionProblem[] };

/** Loads a stored edition, searchable as this release searches; null if there is none with this digest. */
export async function loadEdition(digest: string): Promise<Edition | null> {
  await renewSearchIndex(digest);
  const stored = await findEdition(digest);
  if (!stored) return null;
  const { site, problems } = (stored.site ?? {
    site: withLandingWords((stored.landing ?? {}) as LandingWords, []),
    problems: [],
  }) as StoredSite;
  const numbers = chapterNumbers(stored.documents);
  const entries = stored.documents.map(
    ({ sound, language, dir, ...entry }): EditionEntry => ({
      ...entry,
      id: entry.id ?? entry.slug,
      number: numbers.get(entry.slug) ?? null,
      language: language ?? site.language,
      dir: dir ?? site.dir,
      sound: sound && {
        name: mediaName(sound),
        mediaType: sound.mediaType,
        bytes: sound.bytes,
        duration: sound.duration,
      },
    }),
  );
  return new Edition(digest, entries, site, problems);
}

/** Returns the number of each chapter that has no label, by slug. */
function chapterNumbers(documents: readonly DocumentOutline[]): Map<string, number> {
  const numbered = documents.filter(({ kind, label }) => kind === "chapter" && label === null);
  numbered.sort((one, other) => one.position - other.position);
  return new Map(numbered.map(({ slug }, index) => [slug, index + 1]));
}

/** The result of rendering a folder's texts without storing them. */
export type FolderCheck = {
  source: EditionSource;
  problems: EditionProblem[];
  /** Word counts of the texts that could be rendered, by path. */
  wordCounts: Map<string, number>;
  /** Names of the media that texts show or link to, as from `mediaName`. */
  mediaInTexts: Set<string>;
};

/** Finds all problems of a folder by rendering its texts. Stores nothing. */
export async function checkFolder(folder: string): Promise<FolderCheck> {
  const listing = await listFolder(folder);
  const source = await readSource(folder, listing?.files ?? []);
  return checkSource(source);
}

async function checkSource(source: EditionSource): Promise<FolderCheck> {
  const references = referencesOf(source);
  const problems = [...source.problems, ...source.siteProblems];
  const wordCounts = new Map<string, number>();
  const mediaInTexts = new Set<string>();
  for (const document of source.documents) {
    const rendered = renderDocument(document, references);
    if ("problems" in rendered) {
      problems.push(...rendered.problems);
    } else {
      wordCounts.set(document.path, rendered.wordCount);
      for (const [, name = ""] of rendered.html.matchAll(MEDIA_ADDRESS)) mediaInTexts.add(name);
    }
    await setImmediate();
  }
  return { source, problems, wordCounts, mediaInTexts };
}

async function storeEdition(source: EditionSource, digest: string): Promise<void> {
  // report all mistakes at once
  if (source.problems.length > 0) throw new BrokenEdition((await checkSource(source)).problems);
  const references = referencesOf(source);
  const documents = inReadingOrder(source.documents);
  const problems: EditionProblem[] = [];
  const files: EditionFile[] = [];
  for (const file of source.media.values()) {
    const duration = isSoundName(file.path)
      ? await durationOf(join(source.folder, file.path))
      : null;
    files.push({ ...file, path: file.path.normalize(), duration, edition: digest });
  }
  await db().transaction(async (tx) => {
    // another instance with the same folder may be importing it concurrently
    const site = source.site ?? lastGoodSite(source);
    const stored: StoredSite = { site, problems: source.siteProblems };
    if (!(await insertEdition({ digest, site: stored }, tx))) return;
    if (source.siteProblems.length > 0) files.push(...(await keptFiles(site, files, digest)));
    await insertEditionFiles(files, tx);
    for (let start = 0; start < documents.length; start += BATCH) {
      const batch = documents.slice(start, start + BATCH);
      const keys = batch.map(({ document }) => renderKeyOf(document, references));
      const known = await findRenderings(keys, tx);
      const rows: NewDocument[] = [];
      for (const [index, { document, position, part }] of batch.entries()) {
        const renderKey = keys[index] ?? "";
        const rendered = known.get(renderKey) ?? (await render(document, references, problems));
        if (rendered)
          rows.push(toRow(document, { ...rendered, edition: digest, position, part, renderKey }));
      }
      if (problems.length === 0) await insertDocuments(rows, tx);
    }
    if (problems.length > 0) throw new BrokenEdition(problems);
  });
}

/** Where an edition has pictures of its site that are no longer in the folder. */
const KEPT = ".kept/";

/** Returns the site that stays while `site.yml` or a page has a mistake. The sample's never replaces an author's. */
function lastGoodSite({ hasSiteFile }: EditionSource): Site {
  const last = currentEdition() ? currentSite() : null;
  if (last && last.isSample !== hasSiteFile) return last;
  return hasSiteFile ? unnamedSite(siteHost()) : SAMPLE_SITE;
}

/** Returns the pictures of a former edition's site that are not among `files`. */
async function keptFiles(
  site: Site,
  files: readonly EditionFile[],
  edition: string,
): Promise<EditionFile[]> {
  const former = currentEdition();
  if (!former) return [];
  const known = new Set(files.map(mediaName));
  const shown = new Set(siteImages(site));
  return (await findEditionFiles(former.digest))
    .filter((file) => shown.has(mediaName(file)) && !known.has(mediaName(file)))
    .map((file) => ({ ...file, edition, path: `${KEPT}${mediaName(file)}` }));
}

async function render(
  document: SourceDocument,
  references: References,
  problems: EditionProblem[],
): Promise<RenderedDocument | null> {
  const rendered = renderDocument(document, references);
  // lets requests be answered in between
  await setImmediate();
  if (!("problems" in rendered)) return rendered;
  problems.push(...rendered.problems);
  return null;
}

function inReadingOrder(
  documents: readonly SourceDocument[],
): { document: SourceDocument; position: number; part: string | null }[] {
  return (["chapter", "extra"] as const).flatMap((kind) => {
    let part: string | null = null;
    return documents
      .filter((document) => document.kind === kind)
      .sort((one, other) => one.order - other.order)
      .map((document, index) => {
        // a part goes on until the next one
        if (document.part !== null) part = document.part || null;
        return { document, position: index + 1, part };
      });
  });
}

function toRow(
  document: SourceDocument,
  {
    part,
    ...rest
  }: Pick<
    NewDocument,
    "edition" | "position" | "part" | "html" | "blocks" | "wordCount" | "renderKey"
  >,
): NewDocument {
  const { slug, id, kind, publishAt, extraKind, audio, isPublic, language, dir } = document;
  const set = (line: string) => typographic(line, language);
  const title = set(document.title);
  return {
    slug,
    id,
    kind,
    publishAt,
    extraKind,
    audio,
    isPublic,
    language,
    dir,
    title,
    summary: document.summary === null ? beginningOf(rest.html, title) : set(document.summary),
    part: part && set(part),
    label: document.label && set(document.label),
    ...rest,
  };
}

/** Returns the first sentences of a text, cut between words; its title if it has no paragraph. */
function beginningOf(html: string, title: string): string {
  const text = paragraphsOf(html).find((paragraph) => paragraph !== "") ?? title;
  if (text.length <= MAX_BEGINNING) return text;
  const cut = text.slice(0, MAX_BEGINNING);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), MAX_BEGINNING / 2)).trimEnd()}…`;
}
