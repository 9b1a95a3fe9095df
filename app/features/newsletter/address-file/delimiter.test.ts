import { describe, expect, it } from "vitest";
import { findDelimiter, readDelimiterHint } from "./delimiter";

describe("the delimiter", () => {
  it.each([
    ["name,email", ","],
    ["name;email;city, country", ";"],
    ["name\temail", "\t"],
    ["name|email", "|"],
    ["email", ","],
    ['"last, first";email', ";"],
    ['a;email;"notes, which, go on', ";"],
  ])("of the first line %j is %j", (line, delimiter) => {
    expect(findDelimiter(line)).toBe(delimiter);
  });

  it("may be named by the spreadsheet program's own first line", () => {
    expect(readDelimiterHint("sep=;")).toBe(";");
    expect(readDelimiterHint("SEP=\t")).toBe("\t");
    expect(readDelimiterHint("sep=|  ")).toBe("|");
    expect(readDelimiterHint("separate=;")).toBeNull();
    expect(readDelimiterHint("name,sep=;")).toBeNull();
    expect(readDelimiterHint("sep=;email")).toBeNull();
    expect(readDelimiterHint('sep="')).toBeNull();
    expect(readDelimiterHint("email")).toBeNull();
  });
});
