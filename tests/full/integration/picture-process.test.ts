import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { processPicture } from "~/features/my-account/avatar/process-picture.server";
import { type Run, runPictureProcess } from "../../support/picture-process";
import {
  CORNERS,
  corners,
  cornersOf,
  jpegOfManyScans,
  photograph,
  plain,
  png,
  pngHeader,
  webpChunks,
  webpOfCanvas,
  zeros,
} from "../../support/pictures";

/** The limits for a file: two seconds, and 100 MB more than an empty process. */
const MOST = { milliseconds: 2_000, megabytes: 100 };

const MEGABYTE = 1024 * 1024;

const made = async (file: Uint8Array) => {
  const outcome = await processPicture(file, undefined);
  if (outcome.kind !== "made") throw new Error(JSON.stringify(outcome));
  return outcome;
};

const exif = { IFD0: { Copyright: "Nobody" }, IFD3: { GPSLatitude: "52/1 31/1 0/1" } };

type Case = [name: string, file: () => Promise<Buffer> | Buffer, outcome: Run["outcome"]];

const ALLOWED: Case[] = [
  ["a photograph of 12 million pixels", () => phonePhotograph(), "made"],
  [
    "a progressive JPEG of 12 million pixels",
    async () =>
      (await photograph(4_000, 3_000)).jpeg({ progressive: true, quality: 60 }).toBuffer(),
    "made",
  ],
  ["a PNG of 49 million pixels", () => plain(7_000, 7_000).png().toBuffer(), "made"],
  [
    "a WebP of 12 million pixels",
    async () => (await photograph(4_000, 3_000)).webp({ quality: 60, effort: 0 }).toBuffer(),
    "made",
  ],
  [
    "an AVIF of 2.8 million pixels",
    async () => (await photograph(2_000, 1_400)).avif({ quality: 30, effort: 0 }).toBuffer(),
    "made",
  ],
  ["a picture of one pixel", () => plain(1, 1).png().toBuffer(), "made"],
  ["an animated WebP", () => animatedWebp(), "made"],
];

const HOSTILE: Case[] = [
  [
    "a PNG of 50,000 by 50,000 pixels in a few KB",
    () =>
      png(pngHeader(50_000, 50_000, { depth: 1, color: 0 }), ["IDAT", zeros(8 * MEGABYTE)], END),
    "too many pixels",
  ],
  [
    "an interlaced PNG of 40 million pixels",
    () =>
      png(pngHeader(7_000, 6_000, { isInterlaced: true }), ["IDAT", zeros(126 * MEGABYTE)], END),
    "too many pixels",
  ],
  [
    "a progressive JPEG of 40 million pixels",
    () => plain(8_000, 5_000).jpeg({ progressive: true }).toBuffer(),
    "too many pixels",
  ],
  [
    "a WebP of 50,000 by 50,000 pixels",
    async () => webpOfCanvas(await plain(100, 100).webp().toBuffer(), 50_000, 50_000),
    // its decoder itself accepts at most 16,383 a side
    "unsupported",
  ],
  [
    "an AVIF of 3.5 million pixels",
    () => plain(2_000, 1_750).avif({ effort: 0 }).toBuffer(),
    "too many pixels",
  ],
  ["a line of 40,000 pixels", () => plain(40_000, 1).png().toBuffer(), "too elongated"],
  ["an SVG", () => Buffer.from(SVG), "unsupported"],
  ["a GIF", () => plain(10, 10).gif().toBuffer(), "unsupported"],
  ["a HEIC", async () => heic(), "unsupported"],
  ["raw pixels of libvips", () => Buffer.concat([VIPS_MAGIC, Buffer.alloc(10_000)]), "unsupported"],
  ["nothing", () => Buffer.alloc(0), "unreadable"],
];

const END: [string, Uint8Array] = ["IEND", new Uint8Array()];
const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>';
const VIPS_MAGIC = Buffer.from([0xb6, 0xa6, 0xf2, 0x08]);

/** Returns a photograph of nearly 5 MB with a location and an orientation, as phones make them. */
async function phonePhotograph(): Promise<Buffer> {
  const picture = await photograph(4_000, 3_000);
  for (const quality of [97, 96, 95, 94, 93, 92, 91, 90, 88, 85, 80]) {
    const file = await picture
      .clone()
      .jpeg({ quality })
      .withExif(exif)
      .withMetadata({ orientation: 6 })
      .toBuffer();
    if (file.byteLength <= 5 * MEGABYTE) return file;
  }
  throw new Error("The photograph is too large.");
}

async function animatedWebp(): Promise<Buffer> {
  const frames = await Promise.all([1, 2, 3].map(() => plain(500, 500).png().toBuffer()));
  return sharp(frames, { join: { animated: true } })
    .webp()
    .toBuffer();
}

async function heic(): Promise<Buffer> {
  const avif = await plain(64, 64).avif().toBuffer();
  return Buffer.from(
    avif.toString("latin1").replaceAll("avif", "heic").replaceAll("av01", "hvc1"),
    "latin1",
  );
}

async function expectWithin(name: string, file: Buffer, outcome: Run["outcome"]) {
  const run = await runPictureProcess(file);
  if (process.env.SHOW_FIGURES) {
    console.log(`${name}: ${JSON.stringify(run)} of ${file.byteLength} bytes`);
  }
  expect(run.outcome).toBe(outcome);
  expect(run.milliseconds).toBeLessThan(MOST.milliseconds);
  expect(run.megabytes).toBeLessThan(MOST.megabytes);
}

describe.runIf(process.platform === "linux")("within two seconds and 100 MB", () => {
  it.each(ALLOWED)("%s becomes a picture", async (name, file, outcome) => {
    await expectWithin(name, await file(), outcome);
  });

  it.each(HOSTILE)("%s is refused", async (name, file, outcome) => {
    await expectWithin(name, await file(), outcome);
  });

  it.each([
    ["JPEG", async () => (await photograph(800, 600)).jpeg().toBuffer()],
    [
      "progressive JPEG",
      async () => (await photograph(800, 600)).jpeg({ progressive: true }).toBuffer(),
    ],
    ["PNG", async () => (await photograph(800, 600)).png().toBuffer()],
    ["WebP", async () => (await photograph(800, 600)).webp().toBuffer()],
    ["AVIF", async () => (await photograph(800, 600)).avif({ effort: 0 }).toBuffer()],
  ])("a truncated %s is refused", async (name, whole) => {
    const file = await whole();
    for (const part of [0.3, 0.6, 0.95]) {
      const cut = file.subarray(0, Math.floor(part * file.byteLength));
      const run = await runPictureProcess(cut);
      expect(["unsupported", "unreadable"], `${name}, ${part}`).toContain(run.outcome);
      expect(run.milliseconds).toBeLessThan(MOST.milliseconds);
      expect(run.megabytes).toBeLessThan(MOST.megabytes);
    }
  });

  it.each([
    [
      "texts of a gigabyte",
      () => png(pngHeader(10, 10), ...compressedTexts(10, 100), ["IDAT", zeros(310)], END),
    ],
    [
      "a color profile of 300 MB",
      () => png(pngHeader(10, 10), colorProfile(), ["IDAT", zeros(310)], END),
    ],
    [
      "thousands of scans",
      async () =>
        jpegOfManyScans(
          await plain(4_000, 3_000).jpeg({ progressive: true }).toBuffer(),
          5 * MEGABYTE,
        ),
    ],
  ])("a file with %s uses no more, whatever the outcome", async (name, file) => {
    const bytes = await file();
    const run = await runPictureProcess(bytes);
    if (process.env.SHOW_FIGURES) console.log(`${name}: ${JSON.stringify(run)}`);
    expect(bytes.byteLength).toBeLessThan(5 * MEGABYTE + 1);
    expect(run.milliseconds).toBeLessThan(MOST.milliseconds);
    expect(run.megabytes).toBeLessThan(MOST.megabytes);
  });
});

function compressedTexts(count: number, megabytes: number): [string, Uint8Array][] {
  const text = Buffer.concat([Buffer.from("Comment\0\0", "latin1"), zeros(megabytes * MEGABYTE)]);
  return Array(count).fill(["zTXt", text]);
}

function colorProfile(): [string, Uint8Array] {
  return ["iCCP", Buffer.concat([Buffer.from("profile\0\0", "latin1"), zeros(300 * MEGABYTE)])];
}

describe("a finished picture", () => {
  it("is upright for each of the eight camera orientations", async () => {
    const upright = await (await corners()).png().toBuffer();
    const stored = {
      1: sharp(upright),
      2: sharp(upright).flop(),
      3: sharp(upright).rotate(180),
      4: sharp(upright).flip(),
      // sharp rotates after mirroring
      5: sharp(upright).rotate(270).flop(),
      6: sharp(upright).rotate(270),
      7: sharp(upright).rotate(90).flop(),
      8: sharp(upright).rotate(90),
    };
    for (const [orientation, picture] of Object.entries(stored)) {
      const metadata = { orientation: Number(orientation) };
      const file = await picture.withMetadata(metadata).jpeg().toBuffer();
      expect((await sharp(file).metadata()).orientation).toBe(Number(orientation));
      const { small, large } = await made(file);
      for (const size of [small, large]) {
        const found = await cornersOf(size);
        for (const [corner, color] of Object.entries(CORNERS)) {
          const difference = found[corner as keyof typeof CORNERS].map((value, index) =>
            Math.abs(value - Number(color[index])),
          );
          expect(Math.max(...difference), `${orientation}, ${corner}`).toBeLessThan(30);
        }
      }
    }
  });

  it("is square in two sizes, and WebP without any metadata", async () => {
    const picture = await corners();
    const file = await picture
      .withExif(exif)
      .withMetadata({ orientation: 1 })
      .withIccProfile("p3")
      .withXmp("<x:xmpmeta xmlns:x='adobe:ns:meta/'>home</x:xmpmeta>")
      .jpeg()
      .toBuffer();
    const { exif: tags, icc, xmp } = await sharp(file).metadata();
    expect([tags, icc, xmp].every(Boolean)).toBe(true);
    const { small, large } = await made(file);
    for (const [size, side] of [
      [small, 80],
      [large, 256],
    ] as const) {
      const { format, width, height, exif, icc, xmp, orientation } = await sharp(size).metadata();
      expect({ format, width, height }).toEqual({ format: "webp", width: side, height: side });
      expect([exif, icc, xmp, orientation]).toEqual(Array(4).fill(undefined));
      expect(webpChunks(size)).toEqual({ names: ["VP8 "], isAll: true });
    }
  });

  it("keeps no data that follows the picture in its file", async () => {
    const tail = Buffer.from("<script>alert(1)</script>PK\x03\x04 and more");
    for (const picture of [
      await plain(100, 100).jpeg().toBuffer(),
      await plain(100, 100).png().toBuffer(),
      await plain(100, 100).webp().toBuffer(),
    ]) {
      const { small, large } = await made(Buffer.concat([picture, tail]));
      for (const size of [small, large]) {
        expect(webpChunks(size)).toEqual({ names: ["VP8 "], isAll: true });
        expect(size.includes("script")).toBe(false);
      }
    }
  });

  it("is opaque, so the letter behind it is invisible", async () => {
    const { large } = await made(await plain(100, 100, 4).png().toBuffer());
    expect((await sharp(large).metadata()).hasAlpha).toBe(false);
    const { channels } = await sharp(large).stats();
    // half of a gray of 128 over white
    for (const { mean } of channels) expect(mean).toBeGreaterThan(180);
  });

  it("is the same for the same file", async () => {
    const file = await (await corners()).jpeg().toBuffer();
    expect(await made(file)).toEqual(await made(file));
  });
});

describe("simultaneous pictures", () => {
  it("are processed one at a time, and those beyond a limit are rejected as busy", async () => {
    const file = await (await corners()).jpeg().toBuffer();
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => processPicture(file, "192.0.2.1")),
    );
    const kinds = outcomes.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "made")).toHaveLength(7);
    expect(kinds.filter((kind) => kind === "busy")).toHaveLength(3);
  });
});
