import { createHmac } from "node:crypto";
import { GIF } from "image-size/types/gif";
import { JPG } from "image-size/types/jpg";
import { PNG } from "image-size/types/png";
import { IMAGES_PATH } from "./newsletter-paths";

/** An image of an issue, as it is stored and served. */
export type IssueImage = {
  /** Below /newsletter/images/; it cannot be guessed without the site's key. */
  name: string;
  mediaType: string;
  /** As displayed, in pixels. */
  width: number;
  height: number;
  content: Buffer;
};

/** What every mail program shows: Outlook knows neither WebP nor SVG. */
const FORMATS = [
  { reader: PNG, extension: "png", mediaType: "image/png" },
  { reader: JPG, extension: "jpg", mediaType: "image/jpeg" },
  { reader: GIF, extension: "gif", mediaType: "image/gif" },
];

/** From this Exif orientation on, a photograph is displayed lying on its side. */
const FIRST_TURNED_ORIENTATION = 5;

/** Every name that `readImage` gives. */
const NAME = "[\\w-]{22}\\.(?:png|jpg|gif)";

/** Whether this can be the name of an image. */
export function isImageName(name: string): boolean {
  return new RegExp(`^${NAME}$`).test(name);
}

/** The names of the images that an issue's text may show. */
export function imageNamesIn(markdown: string): string[] {
  const addresses = markdown.matchAll(new RegExp(`${IMAGES_PATH}(${NAME})`, "g"));
  return [...new Set([...addresses].map(([, name = ""]) => name))];
}

/**
 * Reads an image's format from its content, whatever its file is called, and its size from its header; null if
 * it is not a readable PNG, JPEG or GIF. The name is a hash of the content by a secret key: the same image has
 * one name, and nobody can find an issue's images ahead of it.
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
    // a header that is cut off
    return null;
  }
}

/** Whether a photograph carries Exif data, in which cameras also record where it was taken. */
export function hasExif({ mediaType, content }: IssueImage): boolean {
  return mediaType === "image/jpeg" && content.includes("Exif\0\0", 0, "latin1");
}
