import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";

const GREY = { r: 128, g: 128, b: 128 };

/** A picture of one color, to be encoded. */
export function plain(width: number, height: number, channels: 3 | 4 = 3) {
  const background = channels === 4 ? { ...GREY, alpha: 0.5 } : GREY;
  return sharp({ create: { width, height, channels, background }, limitInputPixels: false });
}

/** A picture that compresses as badly as a photograph, to be encoded. */
export async function photograph(width: number, height: number) {
  const noise = { type: "gaussian", mean: 128, sigma: 35 } as const;
  const grain = await sharp({
    create: { width: 512, height: 512, channels: 3, background: GREY, noise },
  })
    .blur(1)
    .png()
    .toBuffer();
  const whole = await plain(width, height)
    .composite([{ input: grain, tile: true }])
    .raw()
    .toBuffer();
  return sharp(whole, { raw: { width, height, channels: 3 } });
}

/** The corners of `corners()`, as red, green and blue. */
export const CORNERS = {
  topLeft: [220, 30, 30],
  topRight: [30, 180, 30],
  bottomLeft: [30, 30, 220],
  bottomRight: [230, 220, 40],
} as const;

/** A square picture with a color in each corner. */
export async function corners() {
  const side = 150;
  const quarter = ([r, g, b]: readonly number[]) => ({
    create: { width: side, height: side, channels: 3 as const, background: { r, g, b } },
  });
  const picture = await plain(2 * side, 2 * side)
    .composite([
      { input: quarter(CORNERS.topLeft), left: 0, top: 0 },
      { input: quarter(CORNERS.topRight), left: side, top: 0 },
      { input: quarter(CORNERS.bottomLeft), left: 0, top: side },
      { input: quarter(CORNERS.bottomRight), left: side, top: side },
    ])
    .png()
    .toBuffer();
  return sharp(picture);
}

/** The colors in the corners of a picture. */
export async function cornersOf(file: Uint8Array): Promise<Record<keyof typeof CORNERS, number[]>> {
  const { data, info } = await sharp(file).raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => {
    const start = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * 3;
    return [...data.subarray(start, start + 3)];
  };
  return {
    topLeft: at(0.15, 0.15),
    topRight: at(0.85, 0.15),
    bottomLeft: at(0.15, 0.85),
    bottomRight: at(0.85, 0.85),
  };
}

/** A PNG file of these chunks. */
export function png(...chunks: [type: string, data: Uint8Array][]): Buffer {
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  return Buffer.concat([signature, ...chunks.map(([type, data]) => pngChunk(type, data))]);
}

function pngChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const around = Buffer.alloc(8);
  around.writeUInt32BE(data.byteLength, 0);
  around.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([around.subarray(0, 4), body, around.subarray(4)]);
}

type PngHeader = { depth?: 1 | 8 | 16; color?: 0 | 2 | 6; isInterlaced?: boolean };

/** The header of a PNG file: color 0 is gray, 2 has three channels, 6 has four. */
export function pngHeader(
  width: number,
  height: number,
  { depth = 8, color = 2, isInterlaced = false }: PngHeader = {},
): ["IHDR", Uint8Array] {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, color, 0, 0, isInterlaced ? 1 : 0], 8);
  return ["IHDR", header];
}

/** Zeros as PNG and ZIP compress them: a thousandth of their number of bytes. */
export const zeros = (bytes: number): Buffer => deflateSync(Buffer.alloc(bytes));

/** A WebP file that states another size, of at most 16,777,216 pixels a side, before the picture itself. */
export function webpOfCanvas(file: Buffer, width: number, height: number): Buffer {
  const extension = Buffer.alloc(18);
  extension.write("VP8X", 0, "latin1");
  extension.writeUInt32LE(10, 4);
  extension.writeUIntLE(width - 1, 12, 3);
  extension.writeUIntLE(height - 1, 15, 3);
  const made = Buffer.concat([file.subarray(0, 12), extension, file.subarray(12)]);
  made.writeUInt32LE(made.byteLength - 8, 4);
  return made;
}

/** A progressive JPEG file whose last scan is repeated up to a length in bytes. */
export function jpegOfManyScans(progressive: Buffer, length: number): Buffer {
  const last = progressive.lastIndexOf(Buffer.from([0xff, 0xda]));
  const scan = progressive.subarray(last, -2);
  const times = Math.floor((length - progressive.byteLength) / scan.byteLength);
  return Buffer.concat([
    progressive.subarray(0, -2),
    ...Array<Buffer>(times).fill(scan),
    progressive.subarray(-2),
  ]);
}

/** The names of a WebP file's chunks, and whether they make up the whole file. */
export function webpChunks(file: Uint8Array): { names: string[]; isAll: boolean } {
  const bytes = Buffer.from(file);
  const names: string[] = [];
  let at = 12;
  while (at < bytes.byteLength) {
    names.push(bytes.toString("latin1", at, at + 4));
    const size = bytes.readUInt32LE(at + 4);
    at += 8 + size + (size % 2);
  }
  const isAll = at === bytes.byteLength && bytes.readUInt32LE(4) === bytes.byteLength - 8;
  return { names, isAll };
}
