import { expect, it } from "vitest";
import { landingSections } from "./landing-sections.server";
import type { PreviewContent } from "./preview-section";
import { shownWords } from "./shown-words.server";

const preview = (title: string): PreviewContent => ({
  opening: { title, paragraphs: ["It began with a walk."] },
  wholeChapter: null,
});

it("renders them again with another preview, and with other words", () => {
  const words = shownWords(null, { isCommunityOpen: false });
  const first = landingSections(words, preview("One"));
  const second = landingSections(words, preview("Two"));
  const own = landingSections(
    shownWords({ about: "It is new." }, { isCommunityOpen: false }),
    preview("Two"),
  );

  expect(second.html).toContain("Two");
  expect(own.html).toContain("It is new.");
  expect(new Set([first.key, second.key, own.key]).size).toBe(3);
});

it("says that the community opens later only until it is open", () => {
  const texts = (isCommunityOpen: boolean) =>
    shownWords(null, { isCommunityOpen }).benefits.map(({ text }) => text);

  expect(texts(true)).not.toEqual(texts(false));
  expect(texts(false)).not.toEqual(texts(true));
});
