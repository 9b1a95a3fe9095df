import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parseFields } from "./yaml-fields";

const schema = z.strictObject({ title: z.string() });

const problemsOf = (source: string) => {
  const parsed = parseFields(source, schema, 2);
  return parsed.kind === "rejected" ? parsed.problems : [];
};

/** Repeats a part up to the length of the longest file whose fields are read. */
const longest = (part: string) => part.repeat(Math.ceil(16_384 / part.length));

describe("parseFields", () => {
  it("reads fields", () => {
    expect(parseFields('title: A [b] {c} "d"', schema)).toEqual({
      kind: "read",
      fields: { title: 'A [b] {c} "d"' },
    });
  });

  it.each([
    ["maps in keys of maps", `title: ${"{".repeat(400)}${"}".repeat(400)}`],
    ["lists in lists", `title: ${"[".repeat(400)}${"]".repeat(400)}`],
    ["lists on one line without end", longest("- ")],
    ["maps in maps", Array.from({ length: 60 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n")],
    ["open brackets", longest("[")],
  ])("refuses fields nested too deeply: %s", (_, source) => {
    expect(problemsOf(source)).toEqual([
      { line: expect.any(Number), problem: "the fields are nested too deeply" },
    ]);
  });

  it("refuses collections as field names", () => {
    expect(problemsOf("title: a\n? [b, c]\n: d")).toEqual([
      { line: 3, problem: "wanted a field's name" },
    ]);
  });

  it.each(["]", "- *a\n"])("reports at most twenty mistakes in a file of only %j", (part) => {
    const { length } = problemsOf(longest(part));
    expect(length).toBeGreaterThan(0);
    expect(length).toBeLessThanOrEqual(20);
  });

  it("refuses unknown fields, with the lines of the first twenty", () => {
    const fields = Array.from({ length: 500 }, (_, index) => `field${index}: 1`);
    const problems = problemsOf(["title: a", ...fields].join("\n"));
    expect(problems).toHaveLength(20);
    expect(problems[19]?.line).toBe(22);
  });
});
