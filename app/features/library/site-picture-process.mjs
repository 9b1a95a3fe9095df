/*
 * Makes an author's icons and covers, of the cover's file and the site's colors. It reads both as JSON from stdin and
 * writes the pictures to stdout as JSON, by name, in base64. It runs as a separate process, whose end frees the
 * decoders' memory.
 */
import { text } from "node:stream/consumers";
import sharp from "sharp";

/** A book, drawn where there is no cover; 24 units wide and high. */
const BOOK =
  "M12 6.2C10 4.7 7 4 3.500 4v14c3.500 0 6.500.700 8.500 2.200 2-1.500 5-2.200 8.500-2.200V4c-3.500 0-6.500.700-8.500 2.200zm0 0v14";

sharp.concurrency(1);

/** @type {{ cover: string | null, accent: string, dark: string }} */
const { cover, accent, dark } = JSON.parse(await text(process.stdin));

/**
 * @param {number} width
 * @param {number} height
 * @param {number} share of the height that the cover or drawing takes
 */
async function picture(width, height, share) {
  const inner = Math.round(Math.min(height, width) * share);
  const front = cover
    ? await sharp(cover, { pages: 1 })
        .autoOrient()
        .resize({
          width: Math.round(width * share),
          height: Math.round(height * share),
          fit: "inside",
        })
        .toBuffer()
    : await sharp(
        Buffer.from(
          `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="${inner}" height="${inner}"><path d="${BOOK}" fill="none" stroke="${accent}" stroke-width="1.2" stroke-linejoin="round"/></svg>`,
        ),
      )
        .png()
        .toBuffer();
  return sharp({ create: { width, height, channels: 3, background: dark } }).composite([
    { input: front },
  ]);
}

/** @param {number} side */
const icon = async (side) =>
  cover
    ? sharp(cover, { pages: 1 })
        .autoOrient()
        .resize(side, side, { fit: "cover", position: "attention" })
    : picture(side, side, 0.6);

/** @type {Record<string, import("sharp").Sharp>} */
const made = {
  "favicon.ico": (await icon(48)).png(),
  "apple-touch-icon.png": (await icon(180)).flatten({ background: dark }).png(),
  "icon-192.png": (await icon(192)).png(),
  "icon-512.png": (await icon(512)).png(),
  "share.png": (await picture(1200, 630, 0.88)).png(),
  "podcast-cover.jpg": (await picture(1500, 1500, 0.94)).jpeg({ quality: 82 }),
  "cover.jpg": cover
    ? sharp(cover, { pages: 1 })
        .autoOrient()
        .resize({ width: 1600, height: 2400, fit: "inside", withoutEnlargement: true })
        .flatten({ background: "#fff" })
        .jpeg({ quality: 85 })
    : (await picture(1200, 1800, 0.5)).jpeg({ quality: 85 }),
};
const files = Object.entries(made).map(async ([name, file]) => [
  name,
  (await file.toBuffer()).toString("base64"),
]);
process.stdout.write(JSON.stringify(Object.fromEntries(await Promise.all(files))));
