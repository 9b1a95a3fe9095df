import type { EditionEntry } from "./edition";
import { minutesToRead } from "./reading-time";

/**
 * Maximum number of words assumed on a text's first screen. Large windows show more, so a link back to a position is
 * offered too often rather than too rarely.
 */
const FIRST_SCREEN_WORDS = 120;

/** A member's progress in one text, as plain data. */
export type TextProgress = {
  isRead: boolean;
  /** The block where reading stopped, if it is below the first screen and the text is unread. */
  stoppedAt: number | null;
  /** Minutes left, at least 1; null for a text that is read or not begun. */
  minutesLeft: number | null;
};

/** A member's progress in all texts of an edition, as plain data. */
export type ReadingState = {
  /** By slug, without untouched texts; read it with `progressIn`. */
  texts: Readonly<Record<string, TextProgress>>;
  /** Slug of the unread text with the newest position; null if there is none. */
  lastSlug: string | null;
  /** Slug of the chapter that was marked as read last, if that was after that position; null if none was. */
  finishedSlug: string | null;
};

/** Progress in an untouched text. */
export const NOT_BEGUN: TextProgress = { isRead: false, stoppedAt: null, minutesLeft: null };

/** Returns a member's progress in the text with this slug. */
export function progressIn({ texts }: ReadingState, slug: string): TextProgress {
  // a slug may equal the name of an object method
  return (Object.hasOwn(texts, slug) ? texts[slug] : undefined) ?? NOT_BEGUN;
}

/**
 * Computes the progress of a reader who marked a text as read, or stopped at this block, counted from 1. The text may
 * have become shorter since. Assumes that all blocks are equally long.
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

/** Returns the minutes that the rest of a text takes to read, 0 if it is read. */
export function minutesFor(
  { wordCount }: Pick<EditionEntry, "wordCount">,
  { isRead, minutesLeft }: TextProgress,
): number {
  return isRead ? 0 : (minutesLeft ?? minutesToRead(wordCount));
}
