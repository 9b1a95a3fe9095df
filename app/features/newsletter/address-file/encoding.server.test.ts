import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OperatorError } from "~db/operator-error";
import { detectEncoding, type Encoding, readText } from "./encoding.server";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "golden-path-encoding-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(content: Buffer | string): string {
  const file = join(folder, "list.csv");
  writeFileSync(file, content);
  return file;
}

/** One byte ahead of a chunk's end, so that what follows is read in two. */
const NEARLY_A_CHUNK = "a".repeat(64 * 1024 - 1);

describe("the encoding of a text file", () => {
  it.each<[string, string | number[], Encoding]>([
    ["nothing", "", "utf-8"],
    ["one letter", "a", "utf-8"],
    ["two letters", "ab", "utf-8"],
    ["letters of UTF-8", "Zoé", "utf-8"],
    ["a letter of UTF-8 in two chunks", `${NEARLY_A_CHUNK}é`, "utf-8"],
    ["the beginning of a workbook's signature", "PK\x03", "utf-8"],
    ["a little-endian byte order mark", [0xff, 0xfe], "utf-16le"],
    ["a big-endian byte order mark", [0xfe, 0xff], "utf-16be"],
    ["a letter before a NUL", [0x61, 0], "utf-16le"],
    ["a letter after a NUL", [0, 0x61], "utf-16be"],
    ["a NUL", [0], "utf-8"],
    ["two NULs", [0, 0], "utf-8"],
    ["half a little-endian byte order mark", [0xff, 0x61], "windows-1252"],
    ["half a big-endian byte order mark", [0xfe, 0x61], "windows-1252"],
    ["the second half of a little-endian byte order mark", [0x61, 0xfe], "windows-1252"],
    ["the second half of a big-endian byte order mark", [0x61, 0xff], "windows-1252"],
    ["half a letter of UTF-8 at its end", [0x61, 0x62, 0xc3], "windows-1252"],
  ])("is that of %s", async (_what, content, encoding) => {
    const file = fileOf(typeof content === "string" ? content : Buffer.from(content));
    expect(await detectEncoding(file)).toBe(encoding);
  });

  it("is none if it is a workbook", async () => {
    const file = fileOf("PK\x03\x04\x14\0");
    await expect(detectEncoding(file)).rejects.toThrow(
      new OperatorError(`${file} is a workbook or an archive: save the list as CSV (UTF-8).`),
    );
  });
});

describe("the text of a file", () => {
  it.each<[Encoding, Buffer]>([
    ["utf-8", Buffer.from(`\ufeff${NEARLY_A_CHUNK}é!`)],
    ["utf-16le", Buffer.from(`\ufeff${NEARLY_A_CHUNK}é!`, "utf16le")],
    ["utf-16be", Buffer.from(`\ufeff${NEARLY_A_CHUNK}é!`, "utf16le").swap16()],
    ["windows-1252", Buffer.from(`${NEARLY_A_CHUNK}é!`, "latin1")],
  ])(
    "in %s comes in chunks, without its byte order mark, with how far it is",
    async (encoding, content) => {
      const chunks = [];
      for await (const chunk of readText(fileOf(content), encoding)) chunks.push(chunk);
      expect(chunks.map(({ text }) => text).join("")).toBe(`${NEARLY_A_CHUNK}é!`);
      expect(chunks[0]?.bytesRead).toBe(64 * 1024);
      expect(chunks.at(-1)?.bytesRead).toBe(content.length);
    },
  );

  it("has a replacement character for half a letter at its end", async () => {
    const texts = [];
    for await (const { text } of readText(fileOf(Buffer.from([0x61, 0xc3])), "utf-8"))
      texts.push(text);
    expect(texts).toEqual(["a", "\ufffd"]);
  });
});
