import { createHmac } from "node:crypto";
import { GIF } from "image-size/types/gif";
import { JPG } from "image-size/types/jpg";
import { PNG } from "image-size/types/png";
import { IMAGES_PATH } from "./newsletter-paths";

/** An issue's image, as stored and served. */
export type IssueImage = {
  /** The file name below /newsletter/images/. It cannot be guessed without the site's key. */
  name: string;
  mediaType: string;
  /** As displayed, in pixels. */
  width: number;
  height: number;
  content: Buffer;
};

/** Formats that every mail client shows. Outlook supports neither WebP nor SVG. */
const FORMATS = [
  { reader: PNG, extension: "png", mediaType: "image/png" },
  { reader: JPG, extension: "jpg", mediaType: "image/jpeg" },
  { reader: GIF, extension: "gif", mediaType: "image/gif" },
];

/** The first Exif orientation that displays a photograph on its side. */
const FIRST_TURNED_ORIENTATION = 5;

/** Matches every name that `readImage` returns. */
const NAME = "[\\w-]{22}\\.(?:png|jpg|gif)";

/** Whether a name has the form of an image's name. */
export function isImageName(name: string): boolean {
  return new RegExp(`^${NAME}$`).test(name);
}

/** Returns the names of the images that an issue's text may show. */
export function imageNamesIn(markdown: string): string[] {
  const addresses = markdown.matchAll(new RegExp(`${IMAGES_PATH}(${NAME})`, "g"));
  return [...new Set([...addresses].map(([, name = ""]) => name))];
}

/**
 * Reads an image's format from its content and its size from its header. Returns null if it is not a readable PNG,
 * JPEG or GIF. The name is a keyed hash of the content: stable for the same image, and unguessable before
 * publication.
 */
export function readImage(content: Buffer, key: Buffer): IssueImage | null {
  try {
    const format = FORMATS.find(({ reader }) => reader.validate(content));
    if (!format) return null;
    const { width, height, orientation = 1 } = format.reader.calculate(content);
    if (!(width > 0 && height > 0)) return null;
    const isTurned = orientation >= FIRST_TURNED_ORIENTATION;
    const digest = createHmac("sha256", key).update(content).digest("base64url").slice(0, 22);
    return {
      name: `${digest}.${format.extension}`,
      mediaType: format.mediaType,
      width: isTurned ? height : width,
      height: isTurned ? width : height,
      content,
    };
  } catch {
    // a truncated header
    return null;
  }
}

/** Whether a photograph has Exif data, where cameras also record the location. */
export function hasExif({ mediaType, content }: IssueImage): boolean {
  return mediaType === "image/jpeg" && content.includes("Exif\0\0", 0, "latin1");
}
