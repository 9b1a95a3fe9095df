import { findNewsletterImage } from "~db/queries/newsletter-images";
import { isImageName } from "./issue-images";

type ServedImage = { mediaType: string; content: Buffer };

/** Enough for the images of the issues that are being read; in bytes. */
const MAX_CACHED_BYTES = 32 * 1024 * 1024;

/** By name, the one requested longest ago first. */
const cached = new Map<string, ServedImage>();
let cachedBytes = 0;

/** The image of this name, from memory if it was requested lately; null if there is none. */
export async function loadIssueImage(name: string): Promise<ServedImage | null> {
  if (!isImageName(name)) return null;
  const known = cached.get(name);
  const image = known ?? (await findNewsletterImage(name));
  if (!image) return null;
  if (cached.delete(name)) cachedBytes -= image.content.byteLength;
  cached.set(name, image);
  cachedBytes += image.content.byteLength;
  for (const [oldest, { content }] of cached) {
    if (cachedBytes <= MAX_CACHED_BYTES) break;
    cached.delete(oldest);
    cachedBytes -= content.byteLength;
  }
  return image;
}
