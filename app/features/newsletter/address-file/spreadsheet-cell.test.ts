import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeCell, unescapeCell } from "./spreadsheet-cell";

describe("a cell of an exported list", () => {
  it.each(["=1+1", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "\n=1", "＝1", "＋1", "－1", "＠x"])(
    "is text to a spreadsheet program, even '%s'",
    (text) => {
      expect(escapeCell(text)).toBe(`'${text}`);
    },
  );

  it.each(["reader@example.test", "'quoted'", "", "1=1"])("is written unchanged: '%s'", (text) => {
    expect(escapeCell(text)).toBe(text);
    expect(unescapeCell(text)).toBe(text);
  });

  it("from another program is read unchanged if it begins like a formula or with an apostrophe", () => {
    for (const text of ["+reader@example.test", "-1", "'tis", "''", "a'=b"])
      expect(unescapeCell(text)).toBe(text);
  });

  it("is read back exactly, even an address that begins with an apostrophe", () => {
    expect(unescapeCell(escapeCell("'+reader@example.test"))).toBe("'+reader@example.test");
    const text = fc.string({ unit: fc.constantFrom("'", "=", "+", "-", "@", "a", "\t") });
    fc.assert(fc.property(text, (cell) => unescapeCell(escapeCell(cell)) === cell));
  });
});
