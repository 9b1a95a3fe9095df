import { describe, expect, it } from "vitest";
import { splitFrontMatter as split } from "~/features/markdown/front-matter";
import { issueFrontMatter } from "./read-issue.server";

const splitFrontMatter = (text: string) => split(text, issueFrontMatter);

const FULL = `---
subject: "The first mile: why it is the longest"
slug: the-first-mile
preview: A practice for the start of anything.
---

Dear walker,
`;

describe("an issue's front matter", () => {
  it("has subject, slug and preview, and leaves the text's line numbers intact", () => {
    expect(splitFrontMatter(FULL)).toEqual({
      kind: "read",
      frontMatter: {
        subject: "The first mile: why it is the longest",
        slug: "the-first-mile",
        preview: "A practice for the start of anything.",
        premium: false,
      },
      body: "\nDear walker,\n",
      bodyLine: 6,
    });
  });

  it.each([
    ["no end", "---\nsubject: x\n", 1, /^wanted front matter/],
    ["nothing in it", "---\n---\nDear walker", 1, /^subject: is missing$/],
    [
      "thousands of fields",
      `---\n${"a: b\n".repeat(1_000)}---\n`,
      1,
      /^the front matter has more than 4096 characters$/,
    ],
    ["a list", "---\n- subject\n---\n", 2, /^wanted fields/],
    ["an unknown field", FULL.replace("preview:", "teaser:"), 4, /^teaser: is not known here$/],
    ["a field twice", FULL.replace("preview:", "slug:"), 4, /unique/],
    ["an empty subject", FULL.replace(/"The first.*"/, '" "'), 2, /^subject: is empty$/],
    ["a long subject", FULL.replace("mile:", "m".repeat(120)), 2, /more than 120 characters$/],
    [
      "an odd slug",
      FULL.replace("the-first-mile", "The First Mile"),
      3,
      /^slug: wanted lower-case/,
    ],
    ["a slug in use", FULL.replace("the-first-mile", "archive"), 3, /another page/],
    ["a word for true", FULL.replace("slug:", "premium: sure\nslug:"), 3, /true or false$/],
  ])("is refused with %s, naming the line", (_name, text, line, problem) => {
    const split = splitFrontMatter(text);
    expect(split).toMatchObject({ kind: "rejected" });
    const problems = "problems" in split ? split.problems : [];
    expect(problems).toContainEqual({ line, problem: expect.stringMatching(problem) });
  });

  it.each(["\\r\\nBcc: all@example.org", "\\n", "\\u2028", "\\ud800"])(
    "keeps %s out of a mail's headers",
    (injected) => {
      for (const field of ["subject", "preview"]) {
        const split = splitFrontMatter(
          FULL.replace(new RegExp(`^${field}: .*$`, "m"), `${field}: "a${injected}b"`),
        );
        expect(split).toMatchObject({
          problems: [{ problem: `${field}: has a line break or control character in it` }],
        });
      }
    },
  );

  it("reports all problems at once", () => {
    const split = splitFrontMatter("---\nslug: A\npremum: true\nsubject: ''\n---\n");
    expect(split).toMatchObject({
      problems: [
        { line: 4, problem: "subject: is empty" },
        { line: 2, problem: expect.stringContaining("slug: wanted") },
        { line: 1, problem: "preview: is missing" },
        { line: 3, problem: "premum: is not known here" },
      ],
    });
  });
});
