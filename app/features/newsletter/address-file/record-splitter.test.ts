import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRecords } from "./parse-records";
import { type CsvRecord, RecordSplitter } from "./record-splitter";

function split(...chunks: string[]): CsvRecord[] {
  const splitter = new RecordSplitter();
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
}

/** What is read from a comma-separated text, each row with its line. */
const rowsOf = (...chunks: string[]) =>
  parseRecords(split(...chunks), ",").map(({ line, cells }) => [line, cells]);

describe("splitting CSV text into records", () => {
  it("accepts the line endings of every system, cut anywhere, and skips blank lines", () => {
    expect(rowsOf("a,1\nb,2\r", "\nc,3\r\n\r\n", "", "d", ",4\re,5\r")).toEqual([
      [1, ["a", "1"]],
      [2, ["b", "2"]],
      [3, ["c", "3"]],
      [5, ["d", "4"]],
      [6, ["e", "5"]],
    ]);
  });

  it("keeps a quoted cell over several lines together", () => {
    expect(rowsOf('a,"one\r\ntwo ""x""\n', '\nfour"\nb,2')).toEqual([
      [1, ["a", 'one\ntwo "x"\n\nfour']],
      [5, ["b", "2"]],
    ]);
  });

  it("loses one line to a quote that is never closed, and nothing after it", () => {
    const lines = Array.from({ length: 200 }, (_, index) => `reader-${index},x`);
    const rows = rowsOf(["a,1", '"never closed,2', ...lines].join("\n"));
    expect(rows[0]).toEqual([1, ["a", "1"]]);
    expect(rows[1]).toEqual([2, null]);
    expect(rows.slice(2)).toEqual(lines.map((_, index) => [index + 3, [`reader-${index}`, "x"]]));
  });

  it("sees by the next quoted cell that a quote was never closed", () => {
    expect(rowsOf('a,1\n"never closed,2\nb,3\n"c","four\nlines"\n"d",5\nc"x,6\n')).toEqual([
      [1, ["a", "1"]],
      [2, null],
      [3, ["b", "3"]],
      [4, ["c", "four\nlines"]],
      [6, ["d", "5"]],
      [7, ['c"x', "6"]],
    ]);
  });

  it("lets a quoted cell run over 50 lines and no more", () => {
    const cell = (lines: number) => `a,"${"x\n".repeat(lines - 1)}x"`;
    expect(split(`${cell(50)}\nb,2`).map(({ line }) => line)).toEqual([1, 51]);
    expect(split(`${cell(51)}\nb,2`).map(({ kind }) => kind)).not.toContain("too-long");
    expect(split(`${cell(51)}\nb,2`)[0]).toEqual({ line: 1, text: 'a,"x', kind: "unclosed" });
    expect(split(`${cell(51)}\nb,2`).at(-1)).toEqual({ line: 52, text: "b,2", kind: "complete" });
  });

  it("cuts a line of more than 64 KiB, without storing it, and goes on after it", () => {
    const splitter = new RecordSplitter();
    const records = splitter.push("a,1\nb,");
    for (let chunk = 0; chunk < 160; chunk++) {
      expect(splitter.push("x".repeat(64 * 1024))).toEqual([]);
    }
    records.push(...splitter.push("\nc,3"), ...splitter.end());
    expect(records.map(({ line, kind, text }) => [line, kind, text.length])).toEqual([
      [1, "complete", 3],
      [2, "too-long", 65_536],
      [3, "complete", 3],
    ]);
  });

  it("does not wait for a quote to be closed within a line that is too long", () => {
    expect(
      split(`"open,1\nb,2\n${"x".repeat(70_000)}\nc,3`).map(({ line, kind }) => [line, kind]),
    ).toEqual([
      [1, "unclosed"],
      [2, "complete"],
      [3, "too-long"],
      [4, "complete"],
    ]);
  });

  it.each([";", "\t", "|"])("knows a cell's beginning by the delimiter, here %j", (delimiter) => {
    const text = `name${delimiter}mail\n"a,${delimiter}\n"${delimiter} "1" \n,"b${delimiter}2`;
    const records = parseRecords(split(text), delimiter);
    expect(records.map(({ line, cells }) => [line, cells])).toEqual([
      [1, ["name", "mail"]],
      [2, [`a,${delimiter}\n`, "1"]],
      [4, [',"b', "2"]],
    ]);
  });

  it("learns the delimiter from the first line, and skips a line that only names it", () => {
    const splitter = new RecordSplitter();
    expect(splitter.delimiter).toBe(",");
    expect(splitter.push("\r\n  \r\nsep=|\r\nname,x|mail\r\n")).toEqual([
      { line: 4, text: "name,x|mail", kind: "complete" },
    ]);
    expect(splitter.delimiter).toBe("|");
  });

  const cell = fc.string({
    unit: fc.constantFrom("a", "@", '"', ",", "\n", "\r\n", ";", " ", "é", "\0", "'"),
    maxLength: 12,
  });
  const tables = fc.array(
    fc.array(cell, { minLength: 1, maxLength: 4 }).filter((row) => row.join("").trim() !== ""),
    { maxLength: 30 },
  );
  const chunksOf = (text: string, at: number[]) => {
    const cuts = [0, ...at.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b)];
    return cuts.map((cut, index) => text.slice(cut, cuts[index + 1] ?? text.length));
  };

  it("reads back every table that was written by the rules, however it arrives", () => {
    fc.assert(
      fc.property(
        tables,
        fc.array(fc.nat(), { maxLength: 8 }),
        fc.constantFrom("\n", "\r\n", "\r"),
        (rows, cuts, ending) => {
          const table = [["name", "email"], ...rows];
          const text = stringify(table, { quoted: true, record_delimiter: ending });
          const read = parseRecords(split(...chunksOf(text, cuts)), ",");
          const joined = table.map((row) => row.map((value) => value.replaceAll("\r\n", "\n")));
          expect(read.map(({ cells }) => cells)).toEqual(joined);
        },
      ),
    );
  });

  it("gives the same records however the text is cut, and loses no line of it", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", '"', '"', ",", "\n", "\n", "\r"),
      maxLength: 400,
    });
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 8 }), (csv, cuts) => {
        const whole = split(csv);
        for (const { text: record } of whole) expect(record.split("\n").length).toBeLessThan(51);
        expect(split(...chunksOf(csv, cuts))).toEqual(whole);
        const lines = csv.split(/\r\n|\n|\r/);
        const covered = whole.flatMap(({ line, text: record }) =>
          record.split("\n").map((part, index) => [line + index, part]),
        );
        const expected = lines.map((part, index) => [index + 1, part]);
        const notBlank = ([, part]: (string | number)[]) => String(part).trim() !== "";
        expect(covered.filter(notBlank)).toEqual(expected.filter(notBlank));
      }),
    );
  });
});
