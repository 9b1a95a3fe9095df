import { diffArrays } from "diff";
import { commonEnds, type Insertion } from "./note";

/** Maximum number of paragraphs that are told apart; further ones count as part of the last. */
const MAX_PARAGRAPHS = 2_000;

/**
 * Maximum number of differing paragraphs to compare one by one. Beyond that, everything between the common start and
 * end counts as one difference. The time grows by the product of both limits, and other requests wait for it.
 */
const MAX_DIFFERENCES = 200;

type Paragraph = { text: string; start: number; end: number };

/**
 * Returns the insertions, in order, that merge another version into a text. Paragraphs in both appear once. Where they
 * differ, the other's come first. Where one paragraph only adds to the other, such as a continued sentence, the longer
 * one is kept. Nothing is removed from the text.
 */
export function missingFrom(text: string, other: string): Insertion[] {
  const own = paragraphsOf(text);
  const others = paragraphsOf(other);
  if (own.length === 0) return others.length === 0 ? [] : [{ at: 0, text: trimmed(other, others) }];
  const insertions: Insertion[] = [];
  for (const { ownFrom, ownTo, otherFrom, otherTo } of differences(own, others)) {
    const mine = own.slice(ownFrom, ownTo);
    const theirs = others.slice(otherFrom, otherTo);
    const end = mine.at(-1)?.end ?? own[ownFrom - 1]?.end ?? 0;
    const atHead = takeInsertions(mine, theirs, "shift");
    const atTail = takeInsertions(mine, theirs, "pop");
    insertions.push(...atHead.insertions);
    if (theirs.length > 0) {
      const added = trimmed(other, theirs);
      // before what remains of ours, or else before the next common paragraph
      const next = mine[0] ?? own[ownTo - atTail.taken];
      insertions.push(
        next ? { at: next.start, text: `${added}\n\n` } : { at: end, text: `\n\n${added}` },
      );
    }
    insertions.push(...atTail.insertions);
  }
  return insertions;
}

/** Splits a text at blank lines, with positions. */
function paragraphsOf(text: string): Paragraph[] {
  const paragraphs: Paragraph[] = [];
  let current: Paragraph | null = null;
  let start = 0;
  for (const line of text.split("\n")) {
    const end = start + line.length;
    if (line.trim() === "") {
      if (paragraphs.length < MAX_PARAGRAPHS) current = null;
    } else if (current) {
      current.end = end;
    } else {
      current = { text: "", start, end };
      paragraphs.push(current);
    }
    start = end + 1;
  }
  for (const paragraph of paragraphs) paragraph.text = text.slice(paragraph.start, paragraph.end);
  return paragraphs;
}

/** Returns the part of a text from the first to the last of some paragraphs. */
function trimmed(text: string, paragraphs: readonly Paragraph[]): string {
  return text.slice(paragraphs[0]?.start ?? 0, paragraphs.at(-1)?.end ?? 0);
}

type Difference = { ownFrom: number; ownTo: number; otherFrom: number; otherTo: number };

/** Returns where two lists of paragraphs differ, in order. */
function differences(own: readonly Paragraph[], others: readonly Paragraph[]): Difference[] {
  const wordsOf = (paragraphs: readonly Paragraph[]) => paragraphs.map(({ text }) => text);
  const [words, otherWords] = [wordsOf(own), wordsOf(others)];
  const changes = diffArrays(words, otherWords, { maxEditLength: MAX_DIFFERENCES });
  if (!changes) {
    const { head, tail } = commonEnds(words, otherWords);
    const [ownTo, otherTo] = [own.length - tail, others.length - tail];
    return [{ ownFrom: head, ownTo, otherFrom: head, otherTo }];
  }
  const found: Difference[] = [];
  let ownAt = 0;
  let otherAt = 0;
  let open: Difference | null = null;
  for (const { added, removed, value } of changes) {
    if (!added && !removed) {
      ownAt += value.length;
      otherAt += value.length;
      open = null;
      continue;
    }
    if (!open) {
      open = { ownFrom: ownAt, ownTo: ownAt, otherFrom: otherAt, otherTo: otherAt };
      found.push(open);
    }
    if (added) otherAt = open.otherTo = otherAt + value.length;
    else ownAt = open.ownTo = ownAt + value.length;
  }
  return found;
}

/**
 * Removes pairs of paragraphs from one end of two lists while one of the pair is the other with an insertion. Returns
 * their number, and what ours lack, in order.
 */
function takeInsertions(
  mine: Paragraph[],
  theirs: Paragraph[],
  take: "shift" | "pop",
): { taken: number; insertions: Insertion[] } {
  const at = take === "shift" ? 0 : -1;
  const insertions: Insertion[] = [];
  let taken = 0;
  for (;;) {
    const own = mine.at(at);
    const other = theirs.at(at);
    const insertion = own && other && insertionInto(own.text, other.text);
    if (!insertion) break;
    if (insertion.text !== "")
      insertions.push({ at: own.start + insertion.at, text: insertion.text });
    mine[take]();
    theirs[take]();
    taken += 1;
  }
  return { taken, insertions: take === "shift" ? insertions : insertions.reverse() };
}

/**
 * Returns the insertion that turns a text into the other; with empty text if the other is shorter. Null unless one of
 * them is the other with something inserted.
 */
function insertionInto(text: string, other: string): Insertion | null {
  const { head, tail } = commonEnds(text, other);
  if (head + tail < Math.min(text.length, other.length)) return null;
  return { at: head, text: other.slice(head, Math.max(head, other.length - tail)) };
}
