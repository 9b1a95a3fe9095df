/** Maximum length of the notes on one text, in UTF-16 code units, as browsers count. */
export const MAX_NOTE_LENGTH = 100_000;

/** A member's notes on one text. */
export type Note = {
  text: string;
  /** Number of changes; 0 if nothing is stored yet. */
  version: number;
};

/** Text to insert into notes, at a position in UTF-16 code units. */
export type Insertion = { at: number; text: string };

/** Returns how many parts of two texts or lists are equal at their beginnings, and at their ends after that. */
export function commonEnds<Value extends string | readonly string[]>(one: Value, other: Value) {
  const shorter = Math.min(one.length, other.length);
  let head = 0;
  while (head < shorter && one[head] === other[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && one.at(-1 - tail) === other.at(-1 - tail)) tail += 1;
  return { head, tail };
}

/** Returns a text with insertions. Their positions refer to the original text. */
export function withInsertions(text: string, insertions: readonly Insertion[]): string {
  let from = 0;
  let result = "";
  for (const { at, text: inserted } of insertions) {
    result += text.slice(from, at) + inserted;
    from = at;
  }
  return result + text.slice(from);
}
