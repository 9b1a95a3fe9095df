/** The most that notes on one text may hold, in UTF-16 code units, as a browser counts them. */
export const MAX_NOTE_LENGTH = 100_000;

/** A member's notes on one text, as the page shows them. */
export type Note = {
  text: string;
  /** Counts the changes; 0 if nothing has been stored yet. */
  version: number;
};

/** Text to be put into notes, at a position in UTF-16 code units. */
export type Insertion = { at: number; text: string };

/** A text with insertions, whose positions are those of the text without any of them. */
export function withInsertions(text: string, insertions: readonly Insertion[]): string {
  let from = 0;
  let result = "";
  for (const { at, text: inserted } of insertions) {
    result += text.slice(from, at) + inserted;
    from = at;
  }
  return result + text.slice(from);
}
