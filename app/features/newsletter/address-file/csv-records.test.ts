import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CsvRecord, readRecords } from "./csv-records";

async function recordsOf(...chunks: string[]): Promise<CsvRecord[]> {
  const records: CsvRecord[] = [];
  const text = (async function* () {
    yield* chunks;
  })();
  for await (const batch of readRecords(text)) records.push(...batch);
  return records;
}

/** Returns a text's rows with their lines; null for refused rows. */
const rowsOf = async (...chunks: string[]) =>
  (await recordsOf(...chunks)).map((record) => [
    record.line,
    "cells" in record ? record.cells : null,
  ]);

/** Cuts a text at these positions. */
const chunksOf = (text: string, at: number[]) => {
  const cuts = [0, ...at.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b)];
  return cuts.map((cut, index) => text.slice(cut, cuts[index + 1] ?? text.length));
};

describe("the records of a CSV text", () => {
  it("accept any line endings, chunk boundaries and blank lines", async () => {
    expect(await rowsOf("a,1\nb,2\r", "\nc,3\r\n\r\n", "", "d", ",4\re,5\r")).toEqual([
      [1, ["a", "1"]],
      [2, ["b", "2"]],
      [3, ["c", "3"]],
      [5, ["d", "4"]],
      [6, ["e", "5"]],
    ]);
  });

  it("detect an unclosed quotation mark by the next quoted cell", async () => {
    expect(await rowsOf('a,1\n"never closed,2\nb,3\n"c","four\nlines"\n"d",5\nc"x,6\n')).toEqual([
      [1, ["a", "1"]],
      [2, null],
      [3, ["b", "3"]],
      [4, ["c", "four\nlines"]],
      [6, ["d", "5"]],
      [7, ['c"x', "6"]],
    ]);
  });

  it("span at most 50 lines", async () => {
    const cell = (lines: number) => `a,"${"x\n".repeat(lines - 1)}x"`;
    expect((await recordsOf(`${cell(50)}\nb,2`)).map(({ line }) => line)).toEqual([1, 51]);
    const [first, ...others] = await recordsOf(`${cell(51)}\nb,2`);
    expect(first).toEqual({ line: 1, text: 'a,"x', problem: "a quotation mark is not closed" });
    expect(others.at(-1)).toEqual({ line: 52, text: "b,2", cells: ["b", "2"] });
  });

  it("are cut off at 64 KiB without being buffered, and continue after that", async () => {
    const chunks = Array.from({ length: 160 }, () => "x".repeat(64 * 1024));
    const records = await recordsOf('a,1\n"open,', ...chunks, "\nc,3");
    expect(records.map((record) => [record.line, "cells" in record])).toEqual([
      [1, true],
      [2, false],
      [3, true],
    ]);
    expect(records[1]?.text.length).toBeLessThan(70_000);
  });

  it("are refused at one character above 64 KiB, wherever the chunks are cut", async () => {
    for (const [length, rows] of [
      [65_536, 2],
      [65_537, 1],
    ] as const) {
      for (const cut of [1, length - 1, length, length + 1]) {
        const read = await rowsOf(...chunksOf(`${"x".repeat(length)}\rb`, [cut]));
        expect(read.filter(([, cells]) => cells)).toHaveLength(rows);
        expect(read.at(-1)).toEqual([2, ["b"]]);
      }
    }
  });

  it.each([";", "\t", "|"])("use the first line's delimiter, here %j", async (delimiter) => {
    const text = `name${delimiter}mail\n"a,${delimiter}\n"${delimiter} "1" \n,"b${delimiter}2`;
    expect(await rowsOf(text)).toEqual([
      [1, ["name", "mail"]],
      [2, [`a,${delimiter}\n`, "1"]],
      [4, [',"b', "2"]],
    ]);
  });

  it("use the delimiter named by a first line", async () => {
    expect(await rowsOf("\r\n  \r\nsep=|\r\nname,x|mail\r\n")).toEqual([[4, ["name,x", "mail"]]]);
  });

  it("match any correctly written table, in any chunks", async () => {
    const cell = fc.string({
      unit: fc.constantFrom("a", "@", '"', ",", "\nb", "\r\nb", ";", " ", "é", "\0", "'"),
      maxLength: 12,
    });
    const tables = fc.array(
      fc.array(cell, { minLength: 1, maxLength: 4 }).filter((row) => row.join("").trim() !== ""),
      { maxLength: 30 },
    );
    const cuts = fc.array(fc.nat(), { maxLength: 8 });
    const endings = fc.constantFrom("\n", "\r\n", "\r");
    await fc.assert(
      fc.asyncProperty(tables, cuts, endings, async (rows, at, ending) => {
        const table = [["name", "email"], ...rows];
        const text = stringify(table, { quoted: true, record_delimiter: ending });
        const read = await rowsOf(...chunksOf(text, at));
        const joined = table.map((row) => row.map((value) => value.replaceAll("\r\n", "\n")));
        expect(read.map(([, cells]) => cells)).toEqual(joined);
      }),
    );
  });

  it("do not depend on the chunks, and lose no line", async () => {
    const text = fc.string({
      unit: fc.constantFrom("a", '"', '"', ",", "\n", "\n", "\r"),
      maxLength: 400,
    });
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(), { maxLength: 8 }), async (csv, at) => {
        const whole = await recordsOf(csv);
        expect(await recordsOf(...chunksOf(csv, at))).toEqual(whole);
        const notBlank = (line: string) => line.trim() !== "";
        expect(whole.flatMap(({ text: record }) => record.split("\n"))).toEqual(
          csv.split(/\r\n|\n|\r/).filter(notBlank),
        );
      }),
    );
  });
});
