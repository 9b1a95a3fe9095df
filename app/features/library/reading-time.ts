const WORDS_PER_MINUTE = 230;

/** The minutes it takes to read this many words, at least 1. */
export const minutesToRead = (words: number) => Math.max(1, Math.round(words / WORDS_PER_MINUTE));

/** A reading time in words. */
export const minutesText = (minutes: number) => (minutes === 1 ? "1 minute" : `${minutes} minutes`);
