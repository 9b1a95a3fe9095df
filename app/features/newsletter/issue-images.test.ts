import { describe, expect, it } from "vitest";
import { hasExif, isImageName, readImage } from "./issue-images";

const KEY = Buffer.alloc(32, 7);
const NAME = `${"-aB_9".repeat(4)}xy`;

/** A PNG's header with a size in pixels. */
function png(width: number, height: number): Buffer {
  const header = Buffer.from("89504e470d0a1a0a0000000d4948445200000000000000000802000000", "hex");
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  return header;
}

/** A comment segment whose text is "Exif". */
const COMMENT = Buffer.from("fffe000645786966", "hex");

/** A JPEG's segments up to its size, 40 by 30 pixels, after the given ones. */
const jpeg = (before: Buffer = COMMENT) =>
  Buffer.concat([
    Buffer.from("ffd8", "hex"),
    before,
    Buffer.from("ffc0000b08001e002801011100ffd9", "hex"),
  ]);

/** An Exif segment with an orientation. */
function exif(orientation: number): Buffer {
  const tiff = Buffer.from("4d4d002a000000080001011200030000000100000000000000000000", "hex");
  tiff.writeUInt16BE(orientation, 18);
  const data = Buffer.concat([Buffer.from("Exif\0\0", "latin1"), tiff]);
  const marker = Buffer.from("ffe10000", "hex");
  marker.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([marker, data]);
}

describe("the name of an issue's image", () => {
  it.each([
    `${NAME}.webp`,
    `${NAME}png`,
    `${NAME}.png.html`,
    `${NAME}.png\n`,
    `../${NAME}.png`,
    `+${NAME.slice(1)}.png`,
  ])("is not %j", (name) => {
    expect(isImageName(name)).toBe(false);
  });

  it("depends on its content, the key and the format", () => {
    const name = readImage(png(1, 1), KEY)?.name ?? "";
    expect(name).toMatch(/^[\w-]{22}\.png$/);
    expect(isImageName(name)).toBe(true);
    expect(readImage(png(1, 1), KEY)?.name).toBe(name);
    expect(readImage(png(1, 2), KEY)?.name).not.toBe(name);
    expect(readImage(png(1, 1), Buffer.alloc(32, 8))?.name).not.toBe(name);
  });
});

describe("an issue's image", () => {
  it.each<[string, string, Buffer, number, number]>([
    ["png", "image/png", png(20, 10), 20, 10],
    ["jpg", "image/jpeg", jpeg(), 40, 30],
    ["gif", "image/gif", Buffer.from("4749463839610300020080000000", "hex"), 3, 2],
  ])("is recognized as a %s by its content", (extension, mediaType, content, width, height) => {
    expect(readImage(content, KEY)).toEqual({
      name: expect.stringMatching(new RegExp(`^[\\w-]{22}\\.${extension}$`)),
      mediaType,
      width,
      height,
      content,
    });
  });

  // the values of Exif's tag 0x0112
  it.each([1, 3])("has the width of its pixels with the Exif orientation %i", (orientation) => {
    expect(readImage(jpeg(exif(orientation)), KEY)).toMatchObject({ width: 40, height: 30 });
  });
  it.each([6, 8])("swaps width and height with the Exif orientation %i", (orientation) => {
    expect(readImage(jpeg(exif(orientation)), KEY)).toMatchObject({ width: 30, height: 40 });
  });

  it.each<[string, Buffer]>([
    ["without width", png(0, 10)],
    ["without height", png(10, 0)],
    // in its own memory, as a file's content is, so no other bytes follow it
    ["with half a header", Buffer.from(Uint8Array.from(png(10, 10).subarray(0, 18)).buffer)],
    ["of another format", Buffer.from("RIFF1234WEBPVP8 ")],
    ["that is empty", Buffer.alloc(0)],
  ])("is not readable: one %s", (_what, content) => {
    expect(readImage(content, KEY)).toBeNull();
  });

  it("has Exif data only if it is a photograph with such a segment", () => {
    const hasExifIn = (content: Buffer) => {
      const image = readImage(content, KEY);
      return image && hasExif(image);
    };
    expect(hasExifIn(jpeg(exif(1)))).toBe(true);
    // neither a comment in a JPEG nor the pixels of a PNG are Exif data
    expect(hasExifIn(jpeg(COMMENT))).toBe(false);
    expect(hasExifIn(Buffer.concat([png(1, 1), Buffer.from("Exif\0\0", "latin1")]))).toBe(false);
  });
});
