import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { missingFrom } from "./merge-notes.server";
import { withInsertions } from "./note";

/** Returns the notes kept when `text` is posted and `stored` is in the database. */
const merge = (text: string, stored: string) => withInsertions(text, missingFrom(text, stored));

describe("merging two versions of notes", () => {
  it.each([
    ["the same", "one\n\ntwo", "one\n\ntwo", "one\n\ntwo"],
    ["a paragraph more on either side", "one\n\nmine", "theirs\n\none", "theirs\n\none\n\nmine"],
    ["different ends", "one\n\nmine", "one\n\ntheirs", "one\n\ntheirs\n\nmine"],
    ["a paragraph more in between", "one\n\nthree", "one\n\ntwo\n\nthree", "one\n\ntwo\n\nthree"],
    ["one more at the end", "one", "one\n\ntwo", "one\n\ntwo"],
    ["nothing of ours", "", "theirs\n", "theirs"],
    ["nothing of theirs", "mine", "", "mine"],
    ["nothing at all", "", "\n", ""],
    ["a sentence we have written on", "The lake was still.", "The lake", "The lake was still."],
    ["one they have written on", "The lake", "The lake was still.", "The lake was still."],
    ["a word they have put in", "The lake was.", "The old lake was.", "The old lake was."],
    ["one of ours written on, after one of theirs", "B and C.", "A.\n\nB", "A.\n\nB and C."],
    ["one of ours written on, before one of theirs", "A and B.", "A\n\nC.", "A and B.\n\nC."],
    ["other blank lines", "one\n\n\n\ntwo\n", "one\n \ntwo", "one\n\n\n\ntwo\n"],
  ])("with %s", (_name, text, stored, merged) => {
    expect(merge(text, stored)).toBe(merged);
  });

  it("keeps all of both", () => {
    const paragraph = fc.constantFrom("a", "b", "c d", "c", "a b\nc");
    const notes = fc.array(paragraph, { maxLength: 8 }).map((parts) => parts.join("\n\n"));
    fc.assert(
      fc.property(notes, notes, (text, stored) => {
        const merged = merge(text, stored);
        expect(isWithin(text, merged)).toBe(true);
        expect(isWithin(stored.replace(/\n+/g, ""), merged)).toBe(true);
        // saving it again changes nothing
        expect(missingFrom(merged, merged)).toEqual([]);
      }),
    );
  });

  // kpdecker/jsdiff #34 and #79, slopus/happy #1676: a comparison that went on for minutes
  it.each<[string, (n: number) => string, (n: number) => string]>([
    ["nothing in common", () => "a", () => "b"],
    ["every second paragraph in common", (n) => "ab"[n % 2] ?? "", () => "a"],
    ["every paragraph written on", () => "a", () => "abc"],
    ["few words, in another order", (n) => "abcdefg"[(3 * n * n) % 7] ?? "", (n) => `${n % 5}a`],
    ["the same, but moved", (n) => n.toString(36), (n) => (n + 150).toString(36)],
  ])("takes no longer than reading 100,000 characters with %s", (_name, own, other) => {
    const notes = (of: (n: number) => string) =>
      Array.from({ length: 40_000 }, (_, n) => of(n))
        .join("\n\n")
        .slice(0, 100_000);
    const [text, stored] = [notes(own), notes(other)];
    const reading = leastTime(() => JSON.parse(JSON.stringify([text, stored].flatMap(linesOf))));
    expect(leastTime(() => missingFrom(text, stored))).toBeLessThan(reading);
    expect(isWithin(text, merge(text, stored))).toBe(true);
  });

  it("tells the paragraphs of long notes apart that were changed in two places", () => {
    const notes = (first: string, last: string) =>
      [first, ...Array.from({ length: 1_500 }, (_, n) => `Line ${n}.`), last].join("\n\n");
    expect(merge(notes("a", "mine"), notes("a b", "mine"))).toBe(notes("a b", "mine"));
    expect(merge(notes("a b", "c"), notes("a", "c d"))).toBe(notes("a b", "c d"));
  });
});

/** Whether a text's characters all occur in another, in this order. */
function isWithin(text: string, other: string): boolean {
  let at = 0;
  for (const character of other) if (character === text[at]) at += 1;
  return at === text.length;
}

const linesOf = (text: string) => text.split("\n");

/** The shortest time of several tries, in milliseconds. */
const leastTime = (work: () => void) =>
  Math.min(
    ...Array.from({ length: 7 }, () => {
      const start = performance.now();
      work();
      return performance.now() - start;
    }),
  );
