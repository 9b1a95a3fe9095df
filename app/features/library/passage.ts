import type { MarkedText } from "./search-view";

/** In UTF-16 code units; the end is not part of it. */
type Range = { start: number; end: number };

/** Characters of a passage, about three lines on a wide screen; of these, before the first word found. */
const LENGTH = 260;
const LEAD = 70;

/** The excerpt of a text to show in results: all of a short text, otherwise the part with the most of the found words. */
export function passageOf(
  text: string,
  matches: readonly Range[],
): { passage: MarkedText; isCut: { before: boolean; after: boolean } } {
  const end = text.trimEnd().length;
  let part = { start: 0, end };
  if (end > LENGTH * 1.2) {
    const first = densest(text, matches);
    const start = first < LEAD * 1.5 ? 0 : wordStart(text, first - LEAD);
    const last = start + LENGTH;
    part = { start, end: last >= end - LEAD ? end : wordEnd(text, last) };
  }
  return {
    passage: markedText(text, part, matches),
    isCut: { before: part.start > 0, after: part.end < end },
  };
}

/** A part of a text, divided where matches begin and end. */
export function markedText(text: string, part: Range, matches: readonly Range[]): MarkedText {
  const pieces: MarkedText = [];
  let at = part.start;
  for (const { start, end } of matches) {
    if (start < part.start || end > part.end) continue;
    if (start > at) pieces.push({ text: text.slice(at, start), isMatch: false });
    pieces.push({ text: text.slice(start, end), isMatch: true });
    at = end;
  }
  if (at < part.end) pieces.push({ text: text.slice(at, part.end), isMatch: false });
  return pieces;
}

/** Where the match stands that the most different words follow within a passage. */
function densest(text: string, matches: readonly Range[]): number {
  let best = { start: matches[0]?.start ?? 0, words: 0 };
  for (const [index, { start }] of matches.entries()) {
    const near = matches
      .slice(index, index + LENGTH)
      .filter(({ end }) => end <= start + LENGTH - LEAD);
    const words = new Set(near.map(({ start, end }) => text.slice(start, end).toLowerCase())).size;
    if (words > best.words) best = { start, words };
  }
  return best.start;
}

/** Where the first word begins from here on. */
function wordStart(text: string, from: number): number {
  const space = text.slice(from).search(/\s/);
  return space === -1 ? from : from + space + 1;
}

/** Where the last word ends up to here. */
function wordEnd(text: string, to: number): number {
  const space = text.slice(0, to).search(/\s\S*$/);
  return space === -1 ? to : space;
}
