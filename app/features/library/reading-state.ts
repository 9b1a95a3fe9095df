import type { EditionEntry } from "./edition";
import { minutesToRead } from "./reading-time";

/**
 * How many words, at most, are taken to be on the first screen of a text: fewer than a large window shows, so that
 * the way back to a position is rather offered once too often.
 */
const FIRST_SCREEN_WORDS = 120;

/** How far a member is in one text, as plain data. */
export type TextProgress = {
  isRead: boolean;
  /** The block where reading stopped, if that is further down than the text's first screen and it is not read. */
  stoppedAt: number | null;
  /** How many minutes the rest takes, at least 1; null for a text that is read, or not begun. */
  minutesLeft: number | null;
};

/** How far a member is in all texts of an edition, as plain data. */
export type ReadingState = {
  /** By slug, without the texts of which nothing is known: ask `progressIn`. */
  texts: Readonly<Record<string, TextProgress>>;
  /** The slug of the unread text in which a position was stored last; null if there is none. */
  lastSlug: string | null;
};

/** In a text of which nothing is known. */
export const NOT_BEGUN: TextProgress = { isRead: false, stoppedAt: null, minutesLeft: null };

/** How far a member is in the text with this slug. */
export function progressIn({ texts }: ReadingState, slug: string): TextProgress {
  // a slug may be the name of a method of all objects
  return (Object.hasOwn(texts, slug) ? texts[slug] : undefined) ?? NOT_BEGUN;
}

/**
 * How far somebody is who marked a text as read, or stopped at this block, counted from 1. The text may have become
 * shorter since. Its blocks are taken to be equally long.
 */
export function textProgress(
  { wordCount, blockCount }: Pick<EditionEntry, "wordCount" | "blockCount">,
  { isRead, block }: { isRead: boolean; block: number | null },
): TextProgress {
  if (isRead || block === null) return { ...NOT_BEGUN, isRead };
  const position = Math.max(1, Math.min(block, blockCount));
  if (position === 1) return NOT_BEGUN;
  const wordsBefore = (wordCount * (position - 1)) / blockCount;
  return {
    isRead,
    stoppedAt: wordsBefore > FIRST_SCREEN_WORDS ? position : null,
    minutesLeft: minutesToRead(wordCount - wordsBefore),
  };
}
