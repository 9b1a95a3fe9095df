const WORDS_PER_MINUTE = 230;

/** Returns the minutes that this many words take to read, at least 1. */
export const minutesToRead = (words: number) => Math.max(1, Math.round(words / WORDS_PER_MINUTE));

/** Returns the minutes of a sound of this many seconds, at least 1; null if its length is unknown. */
export const minutesToHear = (sound: { duration: number | null } | null) =>
  sound?.duration ? Math.max(1, Math.round(sound.duration / 60)) : null;

/** Formats the length of a sound, to follow a reading time; empty without a sound. */
export const soundText = (minutes: number | null) =>
  minutes === null ? "" : `, ${minutes} min listen`;

/** Formats a reading time in words. */
export const minutesText = (minutes: number) => (minutes === 1 ? "1 minute" : `${minutes} minutes`);

/** Formats a length of time for narrow places, such as `4 min` or `1 h 5 min`. */
export function shortTime(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  return hours === 0
    ? `${minutes} min`
    : [`${hours} h`, minutes % 60 && `${minutes % 60} min`].filter(Boolean).join(" ");
}
