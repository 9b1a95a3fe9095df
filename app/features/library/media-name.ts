import type { EditionFile } from "~db/schema";

/** Hexadecimal digits taken from the SHA-256: 128 bits, so names cannot be guessed and do not collide. */
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

/** Returns the name of an image or sound: part of its hash, and its extension. */
export function mediaName({
  sha256,
  mediaType,
}: Pick<EditionFile, "sha256" | "mediaType">): string {
  return `${sha256.slice(0, HASH_DIGITS)}.${EXTENSIONS[mediaType]}`;
}

/** Returns the media type of a name of the form that `mediaName` returns; null for any other text. */
export function mediaTypeOf(name: string): string | null {
  const extension = /^[0-9a-f]{32}\.([a-z0-9]{3,4})$/.exec(name)?.[1];
  const found = Object.entries(EXTENSIONS).find(([, known]) => known === extension);
  return found?.[0] ?? null;
}
