import { readFile } from "node:fs/promises";
import { join } from "node:path";
import readExif from "exif-reader";
import { landingImages } from "../landing-words";
import { mediaName } from "../media-name";
import type { EditionProblem } from "./edition-problem";
import type { FolderCheck } from "./import-edition.server";
import type { EditionSource, SourceDocument } from "./read-source.server";

/** Probable mistakes in a folder that can be imported all the same. */
export async function findWarnings(check: FolderCheck): Promise<EditionProblem[]> {
  return [
    ...misplacedChapters(check.source),
    ...unusedFiles(check),
    ...(await imagesWithLocation(check.source)),
  ];
}

/** Chapters that readers get before one that stands ahead of them in the book. */
function misplacedChapters({ documents }: EditionSource): EditionProblem[] {
  const warnings: EditionProblem[] = [];
  const chapters = documents
    .filter(({ kind }) => kind === "chapter")
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

function unusedFiles({ source, mediaInTexts }: FolderCheck): EditionProblem[] {
  const sounds = new Set(source.documents.map(({ audio }) => audio));
  const ofLanding = new Set(landingImages(source.landing).map(({ name }) => name));
  const unused = [...source.media.values()]
    .filter((media) => !sounds.has(media.path) && !mediaInTexts.has(mediaName(media)))
    .filter((media) => !ofLanding.has(mediaName(media)))
    .map(({ path }) => ({ file: path, line: null, problem: "no text refers to this file" }));
  // those that a text refers to are mistakes
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
    const problem = "says where it was taken, to whoever looks; remove its Exif data";
    warnings.push({ file: path, line: null, problem });
  }
  return warnings;
}

/** How Exif data begins in every format: the header of a TIFF file, in either byte order. */
const TIFF_HEADERS = [Buffer.from("II*\0", "latin1"), Buffer.from("MM\0*", "latin1")];

/** The name of the latitude in XMP, which programs write beside Exif, as text. */
const XMP_LATITUDE = "GPSLatitude";

/** Whether an image says where it was taken, as cameras and phones record it, in Exif or XMP. */
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
    // pixels that happen to look like a header
    return false;
  }
}
