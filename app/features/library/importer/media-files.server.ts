import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { imageSize } from "image-size";
import type { EditionFile } from "~db/schema";

const MB = 1024 * 1024;

const MAX_IMAGE_BYTES = 2 * MB;
const MAX_SOUND_BYTES = 500 * MB;

/** Maximum width and height of an image. A small file with far more pixels would fill a phone's memory. */
const MAX_IMAGE_PIXELS = 4_096;

const TOO_LARGE = `is larger than ${MAX_IMAGE_BYTES / MB} MB; make it smaller for phones`;

/** Exif orientations from this one on rotate a photograph by 90 degrees. */
const FIRST_TURNED_ORIENTATION = 5;

const IMAGES: Record<string, { mediaType: string; type: string }> = {
  ".png": { mediaType: "image/png", type: "png" },
  ".jpg": { mediaType: "image/jpeg", type: "jpg" },
  ".jpeg": { mediaType: "image/jpeg", type: "jpg" },
  ".gif": { mediaType: "image/gif", type: "gif" },
  ".webp": { mediaType: "image/webp", type: "webp" },
  ".avif": { mediaType: "image/avif", type: "avif" },
};

/** Formats that every browser and podcast app plays. */
const SOUNDS: Record<string, { mediaType: string }> = {
  ".mp3": { mediaType: "audio/mpeg" },
  ".m4a": { mediaType: "audio/mp4" },
};

/** An image or sound of an edition, as stored. */
export type MediaFile = Omit<EditionFile, "edition" | "duration">;

/** Whether a path has the extension of a sound. */
export function isSoundName(path: string): boolean {
  return extname(path).toLowerCase() in SOUNDS;
}

/** What was read of the last files by path, with their size and time of change: a sound takes long. */
const known = new Map<string, { stamp: string; media: MediaFile | string }>();

/** Reads an image or sound of an edition's folder. Returns a sentence with the problem if it is unusable. */
export async function readMediaFile(folder: string, path: string): Promise<MediaFile | string> {
  const file = join(folder, path);
  try {
    const { size, ctimeMs } = await stat(file);
    const stamp = `${path} ${size} ${ctimeMs}`;
    const last = known.get(file);
    if (last?.stamp === stamp) return last.media;
    const media = await readFound(file, path, size);
    known.set(file, { stamp, media });
    return media;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return "there is no such file";
    if (code === undefined) throw error;
    return `cannot be read (${code})`;
  }
}

async function readFound(file: string, path: string, bytes: number): Promise<MediaFile | string> {
  const extension = extname(path).toLowerCase();
  if (extension in IMAGES) return readImage(file, path, bytes, extension);
  const sound = SOUNDS[extension];
  if (sound) return readSound(file, path, bytes, sound.mediaType);
  return "wanted a PNG, JPEG, GIF, WebP or AVIF image, or an MP3 or M4A sound";
}

async function readImage(
  file: string,
  path: string,
  bytes: number,
  extension: string,
): Promise<MediaFile | string> {
  if (bytes > MAX_IMAGE_BYTES) return TOO_LARGE;
  const content = await readFile(file);
  const image = examineImage(content, extension);
  if (typeof image === "string") return image;
  const sha256 = createHash("sha256").update(content).digest("hex");
  return { path, sha256, bytes, ...image };
}

/** Returns what an image is; a sentence with the problem if an edition cannot have it. */
export function examineImage(
  content: Buffer,
  extension: string,
): Pick<MediaFile, "mediaType" | "width" | "height"> | string {
  const format = IMAGES[extension];
  if (!format) return "is no image for browsers";
  const { mediaType, type } = format;
  if (content.length > MAX_IMAGE_BYTES) return TOO_LARGE;
  const size = sizeOf(content);
  if (!size || size.type !== type) return `is not a readable ${mediaType.slice(6).toUpperCase()}`;
  const { width, height } = size;
  if (Math.max(width, height) > MAX_IMAGE_PIXELS) {
    return `has ${width} by ${height} pixels; make it smaller for phones, at most ${MAX_IMAGE_PIXELS}`;
  }
  return { mediaType, width, height };
}

function sizeOf(content: Buffer): { type: string; width: number; height: number } | null {
  try {
    const { width, height, orientation = 1, type = "" } = imageSize(content);
    if (!(width > 0 && height > 0)) return null;
    const isTurned = orientation >= FIRST_TURNED_ORIENTATION;
    return isTurned ? { type, width: height, height: width } : { type, width, height };
  } catch {
    return null;
  }
}

async function readSound(
  file: string,
  path: string,
  bytes: number,
  mediaType: string,
): Promise<MediaFile | string> {
  if (bytes > MAX_SOUND_BYTES) return `is larger than ${MAX_SOUND_BYTES / MB} MB`;
  if (!(await isSound(file, mediaType))) return "is not a readable sound";
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return { path, sha256: hash.digest("hex"), mediaType, bytes, width: null, height: null };
}

/** Whether a file starts like its type: with an ID3 tag or MPEG frame, or with an MPEG-4 box. */
async function isSound(file: string, mediaType: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(12), 0, 12, 0);
    if (bytesRead < 12) return false;
    if (mediaType === "audio/mp4") return buffer.toString("latin1", 4, 8) === "ftyp";
    const isFrame = buffer[0] === 0xff && ((buffer[1] ?? 0) & 0xe0) === 0xe0;
    return isFrame || buffer.toString("latin1", 0, 3) === "ID3";
  } finally {
    await handle.close();
  }
}

/** Returns a sound's length in seconds; null if the file does not contain it. */
export async function durationOf(file: string): Promise<number | null> {
  const { parseFile } = await import("music-metadata");
  try {
    const { format } = await parseFile(file, { duration: true, skipCovers: true });
    return format.duration ?? null;
  } catch {
    return null;
  }
}
