import type { EditionFile } from "~db/schema";

/** Hexadecimal digits of the SHA-256: 128 bits, so that names cannot be guessed and do not collide. */
const HASH_DIGITS = 32;

const EXTENSIONS: Record<string, string> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/avif": "avif",
  "audio/mpeg": "mp3",
  "audio/mp4": "m4a",
};

/** The name under which an image or sound is served and stored: a part of its hash, and its extension. */
export function mediaName({
  sha256,
  mediaType,
}: Pick<EditionFile, "sha256" | "mediaType">): string {
  return `${sha256.slice(0, HASH_DIGITS)}.${EXTENSIONS[mediaType]}`;
}

/** The media type of a name that `mediaName` may have made; null for any other text. */
export function mediaTypeOf(name: string): string | null {
  const extension = /^[0-9a-f]{32}\.([a-z0-9]{3,4})$/.exec(name)?.[1];
  const found = Object.entries(EXTENSIONS).find(([, known]) => known === extension);
  return found?.[0] ?? null;
}
