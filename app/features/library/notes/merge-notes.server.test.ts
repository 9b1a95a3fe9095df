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

  it("merges 100,000 characters with nothing in common", () => {
    const ofOneCharacter = (character: string) => Array(33_333).fill(character).join("\n\n");
    const alternating = Array.from({ length: 33_333 }, (_, n) => "ab"[n % 2]).join("\n\n");
    const noise = (seed: number) =>
      Array.from({ length: 33_333 }, (_, n) => "abcdefg"[(n * n * seed) % 7]).join("\n\n");
    for (const [text, stored] of [
      [ofOneCharacter("a"), ofOneCharacter("b")],
      [alternating, ofOneCharacter("a")],
      [noise(3), noise(5)],
      ["x".repeat(100_000), `${"x".repeat(99_999)}y`],
    ] as const) {
      const merged = merge(text, stored);
      expect(merged.length).toBeGreaterThanOrEqual(text.length);
    }
  });
});

/** Whether a text's characters all occur in another, in this order. */
function isWithin(text: string, other: string): boolean {
  let at = 0;
  for (const character of other) if (character === text[at]) at += 1;
  return at === text.length;
}
