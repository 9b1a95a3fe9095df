import { readFile, stat } from "node:fs/promises";
import { join, posix } from "node:path";
import { setImmediate } from "node:timers/promises";
import pMap from "p-map";
import { splitFrontMatter } from "~/features/markdown/front-matter";
import { unparsablePart } from "~/features/markdown/markdown-limits";
import { currentSite } from "~/features/site/current-site.server";
import type { Site, SitePage } from "~/features/site/site";
import { directionOf, type FindImage, readSiteFile, SITE_FILE } from "~/features/site/site-file";
import type { DocumentKind, ExtraKind } from "~db/schema";
import { mediaName } from "../media-name";
import { chapterFrontMatter, extraFrontMatter } from "./document-front-matter";
import type { EditionProblem } from "./edition-problem";
import { LANDING_FILE, readLandingFile, withLandingWords } from "./landing-file";
import { isSoundName, type MediaFile, readMediaFile } from "./media-files.server";
import { type OrderedPage, readPage } from "./site-pages";
import { bareName, SLUG, slugOf } from "./text-slug";

const MAX_TEXT_BYTES = 256 * 1024;

/** Maximum number of concurrent reads, since each takes several turns of a busy event loop. */
const CONCURRENT_READS = 32;

/** Control characters except tab and line feed. They are never intended, and neither PostgreSQL nor XML stores them. */
const CONTROL_CHARACTER = /(?![\t\n])\p{Cc}/u;

/** A chapter or extra as read from its file. */
export type SourceDocument = {
  /** Relative to the edition's folder. */
  path: string;
  kind: DocumentKind;
  slug: string;
  id: string;
  title: string;
  /** Null if it is the beginning of the text. */
  summary: string | null;
  order: number;
  publishAt: Date | null;
  /** The part that begins with this chapter; empty if one ends before it, null if it goes on. */
  part: string | null;
  /** Replaces a chapter's number, such as `Prologue`. */
  label: string | null;
  extraKind: ExtraKind | null;
  /** The path of its sound, relative to the edition's folder. */
  audio: string | null;
  isPublic: boolean;
  language: string;
  dir: Site["dir"];
  body: string;
  /** Line of the file on which the body begins. */
  bodyLine: number;
  /** Lines of the file that set these fields. */
  fieldLines: { id: number; order: number; audio: number };
};

/** The content of an edition's folder, before rendering. */
export type EditionSource = {
  folder: string;
  /** Texts, pages and `site.yml` by path, as an author is typing them: read instead of their files. */
  typed: ReadonlyMap<string, string>;
  documents: SourceDocument[];
  /** Images and sounds by NFC path. */
  media: Map<string, MediaFile>;
  /** Reasons why other files are unusable, by path. */
  unusable: Map<string, string>;
  /** The site of `site.yml`, `landing.yml` and `pages`; null if the first has a mistake. */
  site: Site | null;
  /** Whether the author has a `site.yml`, even a broken one. */
  hasSiteFile: boolean;
  problems: EditionProblem[];
  /** Mistakes in `site.yml` and `pages`, which hold back no text. */
  siteProblems: EditionProblem[];
  /** What is probably not meant in `pages`. */
  pageNotes: EditionProblem[];
};

/** Whether a file of an edition's folder is a chapter or an extra. */
export const isText = (path: string) => /^(?:chapters|extras)\/.*\.(?:md|markdown)$/i.test(path);

/** Whether a file of an edition's folder belongs to the edition. */
export const belongsToEdition = (path: string) =>
  /^(?:chapters|extras|media|pages)\//.test(path) || isSiteFile(path);

const isSiteFile = (path: string) => path === LANDING_FILE || path === SITE_FILE;

/** Whether a file of an edition's folder is a page of the site. */
export const isPage = (path: string) => /^pages\/[^/]+\.md$/i.test(path);

/**
 * Reads the texts, images and sounds of an edition's folder, and what is `typed` instead of files. Collects mistakes in
 * `problems` instead of stopping at the first.
 */
export async function readSource(
  folder: string,
  files: readonly string[],
  typed: EditionSource["typed"] = new Map(),
): Promise<EditionSource> {
  const source: EditionSource = {
    folder,
    typed,
    documents: [],
    media: new Map(),
    unusable: new Map(),
    site: null,
    hasSiteFile: files.includes(SITE_FILE),
    problems: [],
    siteProblems: [],
    pageNotes: [],
  };
  const texts = files.filter(isText);
  const read = await pMap(texts, (path) => readOrTyped(source, path), {
    concurrency: CONCURRENT_READS,
  });
  for (const [index, text] of read.entries()) {
    addDocument(source, texts[index] ?? "", text);
    // lets requests be answered in between
    await setImmediate();
  }
  for (const path of files.filter(belongsToEdition)) {
    if (!isText(path) && !isSiteFile(path) && !isPage(path)) await readMedia(source, path);
  }
  await readSite(source, files);
  const { language, dir } = source.site ?? currentSite();
  for (const document of source.documents) {
    if (document.language === "") Object.assign(document, { language, dir });
  }
  if (source.documents.every(({ kind }) => kind !== "chapter")) {
    source.problems.push({ file: "chapters", line: null, problem: "there is no chapter" });
  }
  checkDuplicates(source);
  checkSounds(source);
  return source;
}

/** Returns a text's own language; an empty one where it is the book's. */
function languageOf({ language, dir }: { language?: string; dir?: Site["dir"] }) {
  return { language: language ?? "", dir: dir ?? directionOf(language ?? "") };
}

async function readSite(source: EditionSource, files: readonly string[]): Promise<void> {
  const { problems, siteProblems, hasSiteFile } = source;
  const pages = await readPages(source, files);
  const file = hasSiteFile ? SITE_FILE : LANDING_FILE;
  // only `landing.yml` has always held back the texts
  const reject = (line: number | null, problem: string) =>
    (hasSiteFile ? siteProblems : problems).push({ file, line, problem });
  if (!files.includes(file)) {
    source.site = withLandingWords({}, pages);
  } else {
    const text = await readOrTyped(source, file);
    if ("problem" in text) return void reject(null, text.problem);
    const findImage = imagesOf(source);
    const read = hasSiteFile
      ? readSiteFile(text.content, findImage, pages)
      : readLandingFile(text.content, findImage, pages);
    if ("site" in read) source.site = read.site;
    else for (const { line, problem } of read.problems) reject(line, problem);
  }
}

/** Reads the pages in the order of the footer. One with a mistake stays as it was. */
async function readPages(source: EditionSource, files: readonly string[]): Promise<SitePage[]> {
  const pages: OrderedPage[] = [];
  for (const file of files.filter(isPage)) {
    const read = await readPageFile(source, file);
    if ("page" in read) {
      pages.push(read.page);
      source.pageNotes.push(...read.notes.map((note) => ({ file, ...note })));
      continue;
    }
    source.siteProblems.push(...read.problems.map((problem) => ({ file, ...problem })));
    const last = currentSite().pages.find(({ slug }) => slug === bareName(file));
    if (last) pages.push({ ...last, order: Number.MAX_SAFE_INTEGER });
  }
  pages.sort((one, other) => one.order - other.order);
  return pages.map(({ slug, title, html }) => ({ slug, title, html }));
}

async function readPageFile(
  source: EditionSource,
  file: string,
): Promise<ReturnType<typeof readPage>> {
  const refuse = (problem: string) => ({ problems: [{ line: 1, problem }] });
  const slug = bareName(file);
  if (!SLUG.test(slug)) {
    return refuse("wanted lower-case letters, digits and single hyphens as its name");
  }
  const text = await readOrTyped(source, file);
  if ("problem" in text) return refuse(text.problem);
  const findImage = imagesOf(source);
  return readPage(slug, text.content, (address) => findImage(resolvePath(file, address)));
}

/** Finds images by their path in the edition's folder. */
function imagesOf({ media, unusable }: EditionSource): FindImage {
  return (path) => {
    const image = media.get(path);
    if (!image?.width || !image.height) {
      return { reason: unusable.get(path) ?? "there is no such image" };
    }
    const { mediaType, width, height } = image;
    return { name: mediaName(image), mediaType, width, height };
  };
}

async function readMedia(source: EditionSource, path: string): Promise<void> {
  const media = await readMediaFile(source.folder, path);
  // an unusable file only matters to a text that uses it
  if (typeof media === "string") source.unusable.set(path.normalize(), media);
  else source.media.set(path.normalize(), media);
}

function addDocument(source: EditionSource, path: string, text: TextFile): void {
  const reject = (line: number | null, problem: string) =>
    source.problems.push({ file: path, line, problem });
  if ("problem" in text) return void reject(null, text.problem);
  const kind: DocumentKind = path.startsWith("chapters/") ? "chapter" : "extra";
  for (const [index, line] of text.content.split("\n").entries()) {
    if (CONTROL_CHARACTER.test(line))
      reject(index + 1, "there is a control character in this line");
  }
  const split =
    kind === "chapter"
      ? splitFrontMatter(text.content, chapterFrontMatter)
      : splitFrontMatter(text.content, extraFrontMatter);
  if (split.kind === "rejected") {
    for (const { line, problem } of split.problems) reject(line, problem);
    return;
  }
  const { frontMatter, body, bodyLine } = split;
  if (body.trim() === "") reject(bodyLine, "there is no text");
  const unparsable = unparsablePart(body);
  if (unparsable) return void reject(unparsable.line + bodyLine - 1, unparsable.problem);
  const slug = slugOf(path);
  source.documents.push({
    path,
    kind,
    slug,
    id: frontMatter.id ?? slug,
    title: frontMatter.title,
    summary: frontMatter.summary ?? null,
    order: frontMatter.order,
    publishAt: frontMatter.publish ?? null,
    part: "part" in frontMatter ? (frontMatter.part ?? null) : null,
    label: "label" in frontMatter ? (frontMatter.label ?? null) : null,
    extraKind: "kind" in frontMatter ? frontMatter.kind : null,
    audio: frontMatter.audio === undefined ? null : resolvePath(path, frontMatter.audio),
    isPublic: "public" in frontMatter && frontMatter.public,
    ...languageOf(frontMatter),
    body,
    bodyLine,
    fieldLines: {
      id: lineOf("id", text.content),
      order: lineOf("order", text.content),
      audio: lineOf("audio", text.content),
    },
  });
}

/** Returns the line of a front matter's field, counted from 1. */
function lineOf(field: string, text: string): number {
  const before = text.slice(0, Math.max(0, text.search(new RegExp(`^${field}\\s*:`, "m"))));
  return before.split("\n").length;
}

type TextFile = { content: string } | { problem: string };

const TOO_LARGE = { problem: `is larger than ${MAX_TEXT_BYTES / 1024} KB; divide it` };

async function readOrTyped({ folder, typed }: EditionSource, path: string): Promise<TextFile> {
  const content = typed.get(path);
  if (content === undefined) return readText(join(folder, path));
  return Buffer.byteLength(content) > MAX_TEXT_BYTES ? TOO_LARGE : { content };
}

/** Reads a text, a page or `site.yml`. Returns the problem with a file that is none. */
export async function readText(file: string): Promise<TextFile> {
  try {
    const { size } = await stat(file);
    if (size > MAX_TEXT_BYTES) return TOO_LARGE;
    const bytes = await readFile(file);
    const content = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { content: content.replace(/\r\n?/g, "\n") };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") {
      return { problem: "wanted UTF-8; save it with that encoding" };
    }
    return { problem: `cannot be read (${code})` };
  }
}

/**
 * Resolves a path named in a file to one relative to the edition's folder, in NFC. Texts mostly use NFC, but not all
 * file systems do. The result begins with `..` if it leaves the folder.
 */
export function resolvePath(from: string, relative: string): string {
  return posix.join(posix.dirname(from), relative).normalize();
}

/** Reports texts of one kind with the same order, and texts with the same slug or id. */
function checkDuplicates({ documents, problems }: EditionSource): void {
  const known = new Map<string, SourceDocument>();
  const takenBy = (name: string, document: SourceDocument) => {
    const other = known.get(name);
    known.set(name, document);
    return other;
  };
  for (const document of documents) {
    const { path: file, kind, order, slug, fieldLines } = document;
    const next = takenBy(`${kind} ${order}`, document);
    if (next) {
      const problem = `order: ${order} is also that of ${next.path}`;
      problems.push({ file, line: fieldLines.order, problem });
    }
    const same = takenBy(slug, document);
    if (same) {
      const problem = `has the same slug as ${same.path}, '${slug}'; rename one of the files`;
      problems.push({ file, line: null, problem });
    }
  }
  for (const document of documents.filter(({ id, slug }) => id !== slug)) {
    const { path: file, id, fieldLines } = document;
    const same = takenBy(id, document);
    if (same) {
      const problem = `id: '${id}' is also the slug or id of ${same.path}`;
      problems.push({ file, line: fieldLines.id, problem });
    }
  }
}

function checkSounds({ documents, media, unusable, problems }: EditionSource): void {
  for (const { path: file, audio, fieldLines } of documents) {
    if (audio === null || (isSoundName(audio) && media.has(audio))) continue;
    const reason = isSoundName(audio)
      ? (unusable.get(audio) ?? "there is no such file")
      : "wanted an MP3 or M4A file";
    problems.push({ file, line: fieldLines.audio, problem: `audio: ${audio}: ${reason}` });
  }
}
