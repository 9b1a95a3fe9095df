const WORDS_PER_MINUTE = 230;

/** Returns the minutes that this many words take to read, at least 1. */
export const minutesToRead = (words: number) => Math.max(1, Math.round(words / WORDS_PER_MINUTE));

/** Formats a reading time in words. */
export const minutesText = (minutes: number) => (minutes === 1 ? "1 minute" : `${minutes} minutes`);
