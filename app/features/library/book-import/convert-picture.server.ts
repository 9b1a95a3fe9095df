import { extname } from "node:path";
import { examineImage } from "../importer/media-files.server";

/** Widths in pixels to try for a picture that is too large. */
const WIDTHS = [2_400, 1_600, 1_000, 600];

/** Sharpness of drawings, in dots per inch. */
const DRAWING_DENSITY = 144;

/** A picture as an edition takes it. */
export type Picture = { extension: string; content: Buffer; isConverted: boolean };

/** Returns a picture as an edition takes it, smaller or in another format if it must be; null if it is unreadable. */
export async function convertPicture(content: Buffer, name: string): Promise<Picture | null> {
  const extension = extname(name).toLowerCase();
  if (typeof examineImage(content, extension) !== "string")
    return { extension, content, isConverted: false };
  const { default: sharp } = await import("sharp");
  try {
    const source = () => sharp(content, { density: DRAWING_DENSITY }).autoOrient();
    const { hasAlpha } = await source().metadata();
    for (const width of WIDTHS) {
      const smaller = source().resize({
        width,
        height: width,
        fit: "inside",
        withoutEnlargement: true,
      });
      const made = hasAlpha
        ? { extension: ".png", content: await smaller.png({ palette: width < 2_000 }).toBuffer() }
        : { extension: ".jpg", content: await smaller.jpeg({ quality: 82 }).toBuffer() };
      if (typeof examineImage(made.content, made.extension) !== "string")
        return { ...made, isConverted: true };
    }
  } catch {
    // not a picture that sharp can read
  }
  return null;
}
