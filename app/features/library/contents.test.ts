import { describe, expect, it } from "vitest";
import { SAMPLE_SITE } from "~/features/site/sample-site";
import { contentsPage, extrasPath } from "./contents";
import { Edition, type EditionEntry } from "./edition";

const NOW = new Date("2026-11-22T12:00:00Z");

function entry(kind: "chapter" | "extra", position: number, more: Partial<EditionEntry> = {}) {
  return {
    kind,
    slug: `${kind}-${position}`,
    id: more.slug ?? `${kind}-${position}`,
    position,
    number: kind === "chapter" ? position : null,
    label: null,
    part: null,
    title: `The ${kind} ${position}`,
    summary: "What it holds.",
    publishAt: null,
    extraKind: kind === "extra" ? "practice" : null,
    sound: null,
    isPublic: false,
    language: "en",
    dir: "ltr",
    wordCount: 690,
    blockCount: 10,
    ...more,
  } satisfies EditionEntry;
}

const editionOf = (entries: EditionEntry[]) => new Edition("e1", entries, SAMPLE_SITE);

describe("contents pages", () => {
  it("lists chapters, then extras by kind, with reading times", () => {
    const edition = editionOf([
      entry("extra", 1, { extraKind: "audio-walk" }),
      entry("extra", 2),
      entry("chapter", 1),
      entry("chapter", 2, { wordCount: 40 }),
    ]);
    const contents = contentsPage(edition, 1, NOW);
    expect(contents?.pageCount).toBe(1);
    expect(
      contents?.sections.map(({ title, entries }) => [title, entries.map(({ path }) => path)]),
    ).toEqual([
      ["Chapters", ["/premium/chapters/chapter-1", "/premium/chapters/chapter-2"]],
      ["Practices", ["/premium/extras/extra-2"]],
      ["Audio walks", ["/premium/extras/extra-1"]],
    ]);
    expect(contents?.sections[0]?.entries.map(({ minutes }) => minutes)).toEqual([3, 1]);
  });

  it.each([0, 59, 60, 120])("links to the page where extras begin after %i chapters", (count) => {
    const chapters = Array.from({ length: count }, (_, index) => entry("chapter", index + 1));
    const edition = editionOf([...chapters, entry("extra", 1)]);
    const path = new URL(extrasPath(edition, NOW), "https://book.example");
    expect(path.hash).toBe("#extras");
    const page = Number(path.searchParams.get("page") ?? 1);
    const slugs = contentsPage(edition, page, NOW)?.sections.flatMap(({ entries }) =>
      entries.map(({ slug }) => slug),
    );
    expect(slugs).toContain("extra-1");
  });

  it("omits unpublished texts and keeps the chapters' numbers", () => {
    const edition = editionOf([
      entry("chapter", 1),
      entry("chapter", 2, { publishAt: new Date("2026-12-01") }),
      entry("chapter", 3),
    ]);
    const [chapters] = contentsPage(edition, 1, NOW)?.sections ?? [];
    expect(chapters?.entries.map(({ number }) => number)).toEqual([1, 3]);
  });

  it("has pages of 60 entries, and no others", () => {
    const edition = editionOf([
      ...Array.from({ length: 70 }, (_, index) => entry("chapter", index + 1)),
      ...Array.from({ length: 60 }, (_, index) => entry("extra", index + 1)),
    ]);
    const numbers = (page: number) =>
      contentsPage(edition, page, NOW)?.sections.map(({ id, entries }) => [
        id,
        entries[0]?.number,
        entries.at(-1)?.number,
      ]);
    expect(numbers(1)).toEqual([["chapters", 1, 60]]);
    expect(numbers(2)).toEqual([
      ["chapters", 61, 70],
      ["practice", 1, 50],
    ]);
    expect(numbers(3)).toEqual([["practice", 51, 60]]);
    for (const none of [0, 4, 1.5, Number.NaN]) expect(numbers(none)).toBeUndefined();
  });
});
