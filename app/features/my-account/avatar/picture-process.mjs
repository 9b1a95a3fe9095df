/*
 * A program of its own, which makes an account's picture of what somebody has sent: the file comes in on standard
 * input, the pictures go out on standard output, and the exit code says why there are none. It runs in a process of
 * its own because a flaw in a decoder then ends this process and not the site, and because what the decoders take is
 * given back with it. It has no access to the database and gets no settings (docs/security.md).
 */
import sharp from "sharp";

/** Exit codes; `process-picture.server.ts` knows them too. Any other means that the file could not be read. */
const EXIT = { unsupported: 10, tooManyPixels: 11, tooElongated: 12 };

/** Sides of the square pictures, in pixels. */
const SMALL = 80;
const LARGE = 256;

/** Most pixels of a picture of any kind: those of a phone's camera at its highest resolution. */
const MAX_PIXELS = 50_000_000;

/** Most bytes of a picture's pixels, where they are read row by row; 50 million pixels in three colors. */
const MAX_PIXEL_BYTES = 150_000_000;

/** How many times as long as wide a picture may be: its shorter side is scaled to 256 pixels before it is cropped. */
const MAX_ELONGATION = 8;

/** Most that a decoder may be expected to hold of a picture, in bytes. */
const MAX_HELD_BYTES = 60_000_000;

/** Most memory beyond what the process takes with its packages loaded, in bytes; those take 30 MB. */
const MAX_MEMORY = 68_000_000;

/** Most processor time for decoding and encoding, in microseconds; a photograph takes a quarter of it. */
const MAX_PROCESSOR_TIME = 1_500_000;

/** How often both are checked, in milliseconds; a decoder runs in a thread of its own. */
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
    // an exit would wait for the decoder's thread
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
    // judged by what each decoder needs instead
    limitInputPixels: false,
    failOn: /** @type {const} */ ("error"),
    sequentialRead: true,
    pages: 1,
  };
  const metadata = await sharp(file, options)
    .metadata()
    .catch(() => process.exit(EXIT.unsupported));
  judge(metadata);
  // turned after it is small, since a whole picture would have to be held to be turned
  const upright = await sharp(file, options)
    .resize(LARGE, LARGE, { fit: "cover", position: "attention" })
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
 * Ends the process if a picture is of another format or would take too much to decode.
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
 * What a decoder holds of a whole picture, in bytes for each pixel, as measured; 0 if it reads row by row.
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
  // coefficients of two bytes; half of the colors' where they are halved in both directions
  return chromaSubsampling === "4:2:0" ? 3.5 : 2 * channels;
}
