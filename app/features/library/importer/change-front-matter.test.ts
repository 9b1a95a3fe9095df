import { expect, it } from "vitest";
import { changeFrontMatter } from "./change-front-matter";

it("sets and removes fields, and keeps comments, other fields and the text", () => {
  const text =
    '---\ntitle: "Gates" # the first\norder: 3 # of many\npublic: true\n---\n\n---\nBody\n';
  expect(changeFrontMatter(text, { order: 4, public: null, publish: "draft" })).toBe(
    '---\ntitle: "Gates" # the first\norder: 4 # of many\npublish: draft\n---\n\n---\nBody\n',
  );
});

it.each(["No front matter", "---\ntitle: [\n---\nBody", "---\ntitle: Open\n"])(
  "leaves %j as it is",
  (text) => {
    expect(changeFrontMatter(text, { order: 4 })).toBe(text);
  },
);
