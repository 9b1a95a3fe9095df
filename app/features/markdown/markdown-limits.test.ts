import { describe, expect, it } from "vitest";
import { unparsablePart, unrenderablePart } from "./markdown-limits";
import { parseMarkdown } from "./markdown-tree.server";

const KB = 1_024;
const fill = (pattern: string, length = 64 * KB) =>
  pattern.repeat(Math.ceil(length / pattern.length)).slice(0, length);

describe("unparsablePart", () => {
  it.each([
    ["quotes in quotes", fill(">")],
    ["lists in lists", fill("- ")],
    ["indented lists", Array.from({ length: 300 }, (_, n) => `${"  ".repeat(n)}- a`).join("\n")],
  ])("refuses %s", (_what, text) => {
    expect(unparsablePart(text)?.problem).toBe("quotes or lists are nested more than 20 times");
  });

  it.each([
    ["emphasis", fill("**a *b _c ")],
    ["links", fill("[a](<b")],
    ["tables", fill(`|${fill("a|", 200)}\n|${fill("-|", 200)}\n`)],
  ])("refuses %s", (_what, text) => {
    expect(unparsablePart(text)?.problem).toBe("there are more than 5000 of the marks *_~[]`|");
  });

  it.each([
    ["brackets", "[".repeat(101)],
    ["pictures in pictures", `${"![".repeat(101)}a${"](b.png)".repeat(101)}`],
  ])("refuses %s", (_what, text) => {
    expect(unparsablePart(text)?.problem).toBe("more than 100 brackets are open");
    expect(unparsablePart("a [\n\n".repeat(101))).toBeNull();
  });

  it("refuses thousands of lines", () => {
    expect(unparsablePart(fill("# a\n"))).toEqual({
      line: 5_001,
      problem: "there are more than 5000 lines",
    });
  });
});

describe("unrenderablePart", () => {
  it.each([
    ["emphasis in emphasis", `${"*a ".repeat(60)}b${" c*".repeat(60)}`],
    [
      "lists that are nested line by line",
      Array.from({ length: 40 }, (_, n) => `${"  ".repeat(n)}- a`).join("\n"),
    ],
  ])("refuses %s", (_what, text) => {
    expect(unparsablePart(text)).toBeNull();
    expect(unrenderablePart(parseMarkdown(text))?.problem).toContain("nested more than 20 times");
  });

  it("refuses tens of thousands of parts", () => {
    const text = `${"a&amp;<b ".repeat(10)}\n\n`.repeat(10) + fill("http://a.b/ ", 120 * KB);
    expect(unrenderablePart(parseMarkdown(text))?.problem).toBe("there are more than 10000 parts");
  });
});

it("accepts a rich letter", () => {
  const letter = `# A heading\n\nDear *walker*, see **[the gate](/premium)** and \`code\`.\n\n> - one\n>   1. two\n>      > three\n\n| a | b |\n|---|---|\n${"| 1 | 2 |\n".repeat(50)}\n---\n\n`;
  const text = letter.repeat(5);
  expect(unparsablePart(text)).toBeNull();
  expect(unrenderablePart(parseMarkdown(text))).toBeNull();
});
