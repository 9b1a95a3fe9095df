import { readFile } from "node:fs/promises";
import { join } from "node:path";
import readExif from "exif-reader";
import { unrenderablePart } from "~/features/markdown/markdown-limits";
import { parseMarkdown } from "~/features/markdown/markdown-tree.server";
import { unparsedMarkup } from "~/features/markdown/unparsed-markup";
import { sampleParts } from "~/features/site/sample-site";
import { siteImages } from "~/features/site/site";
import { SITE_FILE } from "~/features/site/site-file";
import { isDraft } from "../draft";
import { mediaName } from "../media-name";
import { barriersIn } from "./accessibility";
import type { EditionProblem } from "./edition-problem";
import type { FolderCheck } from "./import-edition.server";
import type { EditionSource, SourceDocument } from "./read-source.server";
import { readMarkup } from "./text-markup";

/** Finds probable mistakes in a folder that can still be imported. */
export async function findWarnings(
  check: FolderCheck,
  { isSample }: { isSample: boolean },
): Promise<EditionProblem[]> {
  return [
    ...(isSample ? [] : sampleWords(check.source)),
    ...misplacedChapters(check.source),
    ...check.source.documents.flatMap(unparsedParts),
    ...check.source.pageNotes,
    ...unusedFiles(check),
    ...(await imagesWithLocation(check.source)),
  ];
}

/** Finds what the site still shows of the sample. */
function sampleWords({ site, hasSiteFile }: EditionSource): EditionProblem[] {
  const still = site && !hasSiteFile ? sampleParts(site) : [];
  if (still.length === 0) return [];
  const problem = `there is none, so the site has the sample's ${still.join(", ")}; 'content site' prints one to start from`;
  return [{ file: SITE_FILE, line: null, problem }];
}

/** Finds chapters that are published before an earlier chapter of the book. */
function misplacedChapters({ documents }: EditionSource): EditionProblem[] {
  const warnings: EditionProblem[] = [];
  const chapters = documents
    .filter((document) => document.kind === "chapter" && !isDraft(document))
    .sort((one, other) => one.order - other.order);
  let latest: SourceDocument | undefined;
  for (const chapter of chapters) {
    if (latest && timeOf(chapter) < timeOf(latest)) {
      const problem = `is published before ${latest.path}, which comes before it in the book`;
      warnings.push({ file: chapter.path, line: null, problem });
    } else {
      latest = chapter;
    }
  }
  return warnings;
}

const timeOf = ({ publishAt }: SourceDocument) => publishAt?.getTime() ?? Number.NEGATIVE_INFINITY;

/** Finds what members would see as its characters, and what keeps some of them from reading. */
export function unparsedParts({ path: file, body, bodyLine }: SourceDocument): EditionProblem[] {
  const tree = parseMarkdown(body);
  // a mistake, and reported as such
  if (unrenderablePart(tree)) return [];
  const barriers = barriersIn(tree);
  readMarkup(tree);
  return [...unparsedMarkup(tree, body), ...barriers].map(({ line, problem }) => ({
    file,
    problem,
    line: line + bodyLine - 1,
  }));
}

/** Finds the pictures and sounds that neither a text nor the site shows. */
export function unusedFiles({ source, mediaInTexts }: FolderCheck): EditionProblem[] {
  const sounds = new Set(source.documents.map(({ audio }) => audio));
  // without a readable site.yml it is not known which pictures it shows
  if (!source.site) return [];
  const ofSite = new Set(siteImages(source.site));
  const unused = [...source.media.values()]
    .filter((media) => !sounds.has(media.path) && !mediaInTexts.has(mediaName(media)))
    .filter((media) => !ofSite.has(mediaName(media)))
    .map(({ path }) => ({ file: path, line: null, problem: "no text refers to this file" }));
  // referring to an unusable file is reported as a mistake
  const unusable = [...source.unusable].map(([file, reason]) => ({
    file,
    line: null,
    problem: `no text refers to this file; ${reason}`,
  }));
  return [...unused, ...unusable];
}

async function imagesWithLocation({ folder, media }: EditionSource): Promise<EditionProblem[]> {
  const warnings: EditionProblem[] = [];
  for (const { path, width } of media.values()) {
    if (width === null || !hasLocation(await readFile(join(folder, path)))) continue;
    const problem = "tells anyone who looks where it was taken; remove its Exif data";
    warnings.push({ file: path, line: null, problem });
  }
  return warnings;
}

/** Start of Exif data in every format: a TIFF header, in either byte order. */
const TIFF_HEADERS = [Buffer.from("II*\0", "latin1"), Buffer.from("MM\0*", "latin1")];

/** Name of the latitude in XMP, which programs write beside Exif, as text. */
const XMP_LATITUDE = "GPSLatitude";

/** Whether an image contains its location in Exif or XMP, as cameras and phones record it. */
function hasLocation(content: Buffer): boolean {
  if (content.includes(XMP_LATITUDE)) return true;
  return TIFF_HEADERS.some((header) => {
    for (let at = content.indexOf(header); at !== -1; at = content.indexOf(header, at + 1)) {
      if (hasLatitude(content.subarray(at))) return true;
    }
    return false;
  });
}

function hasLatitude(tiff: Buffer): boolean {
  try {
    return readExif(tiff).GPSInfo?.GPSLatitude !== undefined;
  } catch {
    // pixel data that looks like a header
    return false;
  }
}
