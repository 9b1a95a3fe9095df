import { setImmediate } from "node:timers/promises";
import search from "approx-string-match";
import type { Range } from "~db/search-text";

/** A passage by the selectors of the Web Annotation model: TextQuoteSelector, and its position's start. */
export type Passage = { quote: string; prefix: string; suffix: string; start: number };

/** Characters kept before and after a passage. */
const CONTEXT = 32;

/** Minimum characters of a passage with its context; a shorter one could be anywhere. */
const MIN_FRAMED = 32;

/** Share of a passage's characters, with those around it and alone, that may have been edited. */
const MAX_EDITED = { framed: 0.15, quote: 0.25 };

/** Most edits that are looked for, since the time grows with them. */
const MAX_EDITS = 128;

/** Characters searched at once. Other requests are served in between. */
const SLICE = 15_000;

/** Returns what a passage is found by in another version of its text. */
export function passageAt(characters: string, { start, end }: Range): Passage {
  return {
    start,
    quote: storable(characters.slice(start, end)),
    prefix: storable(characters.slice(Math.max(0, start - CONTEXT), start)),
    suffix: storable(characters.slice(end, end + CONTEXT)),
  };
}

/** PostgreSQL stores no half of a surrogate pair, which may be left where a text is cut. */
const storable = (text: string) => Buffer.from(text, "utf8").toString("utf8");

/** Returns a function that finds passages in a text, whatever its white space; null for one that it no longer has. */
export function passageFinder(characters: string) {
  const text = spaced(characters);
  return async ({ start, ...words }: Passage): Promise<Range | null> => {
    const [quote, prefix, suffix] = [words.quote, words.prefix, words.suffix].map(spaced) as [
      string,
      string,
      string,
    ];
    const passage = { quote, prefix, suffix, start };
    // another paragraph may be before and after it now
    const inParagraph = {
      ...passage,
      prefix: spaced(words.prefix.split("\n").at(-1) ?? ""),
      suffix: spaced(words.suffix.split("\n")[0] ?? ""),
    };
    return (
      (await editedPlace(text, passage)) ??
      (await editedPlace(text, inParagraph)) ??
      (await editedPlace(text, { ...passage, prefix: "", suffix: "" }))
    );
  };
}

/** One space for each character of white space, so that a paragraph may be split or joined. */
const spaced = (text: string) => text.replace(/\s/g, " ");

/** Returns where the quote is, with what was around it and at most a few characters edited. */
async function editedPlace(
  text: string,
  { quote, prefix, suffix, start }: Passage,
): Promise<Range | null> {
  const framed = prefix + quote + suffix;
  const found =
    framed.length >= MIN_FRAMED && (await nearestMatch(text, framed, start - prefix.length));
  if (!found) return null;
  const part = text.slice(found.start, found.end);
  const offBy = (inner: Range) =>
    Math.max(
      Math.abs(inner.start - prefix.length),
      Math.abs(part.length - suffix.length - inner.end),
    );
  const [inner] = search(part, quote, Math.floor(quote.length * MAX_EDITED.quote)).sort(
    (one, other) => offBy(one) - offBy(other),
  );
  if (!inner || offBy(inner) > found.errors) return null;
  return { start: wordStart(text, found.start + inner.start), end: found.start + inner.end };
}

/** Returns the beginning of a word that is nearest, if it is near: an edited first letter moves the beginning. */
function wordStart(text: string, at: number): number {
  const isStart = (place: number) =>
    place === 0 || (/[^\p{L}\p{N}]/u.test(text[place - 1] ?? "") && text[place] !== " ");
  return at + ([0, 1, -1, 2, -2].find((shift) => isStart(at + shift)) ?? 0);
}

async function nearestMatch(text: string, pattern: string, near: number) {
  const same = text.indexOf(pattern);
  if (same !== -1 && same === text.lastIndexOf(pattern)) {
    return { start: same, end: same + pattern.length, errors: 0 };
  }
  const most = Math.min(MAX_EDITS, Math.floor(pattern.length * MAX_EDITED.framed));
  // the fewer edits, the faster
  let errors = same === -1 ? most : 0;
  let best: { start: number; end: number; errors: number } | null = null;
  for (let from = 0; from < text.length; from += SLICE) {
    const slice = text.slice(from, from + SLICE + pattern.length + errors);
    for (const match of search(slice, pattern, errors)) {
      const [start, end] = [from + match.start, from + match.end];
      const isNearer = !best || Math.abs(start - near) < Math.abs(best.start - near);
      if (!best || match.errors < best.errors || isNearer) best = { ...match, start, end };
      errors = match.errors;
    }
    await setImmediate();
  }
  return best;
}
