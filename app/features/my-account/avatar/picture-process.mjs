/*
 * Makes an account's pictures from an uploaded file. It reads the file from stdin and writes the pictures to stdout;
 * the exit code gives the reason for a failure. It runs as a separate process, so a decoder flaw crashes only this
 * process, and its end frees the decoders' memory. It has no database access and gets no settings (docs/security.md).
 */
import sharp from "sharp";

/** Exit codes, also listed in `process-picture.server.ts`. Any other means that the file could not be read. */
const EXIT = { unsupported: 10, tooManyPixels: 11, tooElongated: 12 };

/** Sides of the square pictures, in pixels. */
const SMALL = 80;
const LARGE = 256;

/** Maximum pixels of any picture: a phone camera's highest resolution. */
const MAX_PIXELS = 50_000_000;

/** Maximum bytes of a picture's pixels if read row by row: 50 million pixels in three colors. */
const MAX_PIXEL_BYTES = 150_000_000;

/** Maximum ratio of the longer to the shorter side. The shorter side is scaled to 256 pixels before cropping. */
const MAX_ELONGATION = 8;

/** Maximum bytes of a picture a decoder may be expected to hold. */
const MAX_HELD_BYTES = 60_000_000;

/** Maximum memory beyond the process's own with its packages loaded, in bytes; those take 30 MB. */
const MAX_MEMORY = 68_000_000;

/** Maximum CPU time for decoding and encoding, in microseconds; a photograph takes a quarter. */
const MAX_PROCESSOR_TIME = 1_500_000;

/** How often both are checked, in milliseconds. Decoders run in another thread. */
const CHECK_MS = 5;

const WEBP = { quality: 82 };

sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: [
    "VipsForeignLoadJpegBuffer",
    "VipsForeignLoadPngBuffer",
    "VipsForeignLoadWebpBuffer",
    "VipsForeignLoadHeifBuffer",
  ],
});

enforceLimits();
const { small, large } = await makePictures(await readInput());
const length = Buffer.alloc(4);
length.writeUInt32BE(small.byteLength);
process.stdout.write(Buffer.concat([length, small, large]), () => process.exit(0));

/** Ends the process if a file within all limits still uses too much memory or processor time. */
function enforceLimits() {
  const memory = process.memoryUsage.rss();
  const begun = process.cpuUsage();
  setInterval(() => {
    const { user, system } = process.cpuUsage(begun);
    const taken = process.memoryUsage.rss() - memory;
    if (taken <= MAX_MEMORY && user + system <= MAX_PROCESSOR_TIME) return;
    // exit() would wait for the decoder's thread
    process.kill(process.pid, "SIGKILL");
  }, CHECK_MS).unref();
}

/** @returns {Promise<Buffer>} */
async function readInput() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * @param {Buffer} file
 * @returns {Promise<{ small: Buffer, large: Buffer }>}
 */
async function makePictures(file) {
  const options = {
    // `judge` checks each decoder's needs instead
    limitInputPixels: false,
    failOn: /** @type {const} */ ("error"),
    sequentialRead: true,
    pages: 1,
  };
  const metadata = await sharp(file, options)
    .metadata()
    .catch(() => process.exit(EXIT.unsupported));
  judge(metadata);
  // rotated after scaling down, since rotating needs the whole picture in memory
  const upright = await sharp(file, options)
    // from the middle, as the account page shows it before it is saved
    .resize(LARGE, LARGE, { fit: "cover" })
    .flatten({ background: "#fff" })
    .withMetadata({ orientation: metadata.orientation ?? 1 })
    .png({ compressionLevel: 0 })
    .toBuffer();
  const large = sharp(upright).autoOrient();
  return {
    large: await large.clone().webp(WEBP).toBuffer(),
    small: await large.clone().resize(SMALL, SMALL).webp(WEBP).toBuffer(),
  };
}

/**
 * Ends the process if a picture has an unsupported format or is too expensive to decode.
 *
 * @param {import("sharp").Metadata} metadata
 */
function judge(metadata) {
  const { format, compression, width, height, depth, channels } = metadata;
  const isAvif = format === "heif" && compression === "av1";
  if (!isAvif && !["jpeg", "png", "webp"].includes(format)) process.exit(EXIT.unsupported);
  const pixels = width * height;
  const bytesPerPixel = channels * (depth === "uchar" ? 1 : 2);
  const isTooLarge =
    pixels > MAX_PIXELS ||
    pixels * bytesPerPixel > MAX_PIXEL_BYTES ||
    pixels * heldBytesPerPixel(metadata, isAvif) > MAX_HELD_BYTES;
  if (isTooLarge) process.exit(EXIT.tooManyPixels);
  const elongation = Math.max(width, height) / Math.min(width, height);
  if (elongation > MAX_ELONGATION) process.exit(EXIT.tooElongated);
}

/**
 * Returns the bytes per pixel a decoder holds of a whole picture, as measured; 0 if it reads row by row.
 *
 * @param {import("sharp").Metadata} metadata
 * @param {boolean} isAvif
 */
function heldBytesPerPixel({ format, depth, channels, isProgressive, chromaSubsampling }, isAvif) {
  const isDeep = depth !== "uchar";
  if (isAvif) return isDeep ? 42 : 21;
  if (format === "webp") return 4;
  if (!isProgressive) return 0;
  if (format === "png") return channels * (isDeep ? 2.7 : 1.35);
  // two-byte coefficients; the color channels have fewer with 4:2:0
  return chromaSubsampling === "4:2:0" ? 3.5 : 2 * channels;
}
