/** The colors of highlights by their numbers, as their buttons say. */
export const COLORS = { 1: "Yellow", 2: "Green", 3: "Blue", 4: "Pink" } as const;

/** Maximum lengths of a passage and of the note on it, in UTF-16 code units. */
export const MAX_QUOTE_LENGTH = 5_000;
export const MAX_PASSAGE_NOTE_LENGTH = 5_000;

/** A highlight as lists show it. */
export type HighlightView = {
  id: string;
  quote: string;
  color: number;
  /** "" for none. */
  note: string;
};

/** A member's highlights in a text, whose marks are in its HTML. */
export type TextHighlights = {
  /** Of the text in which positions count. */
  renderKey: string;
  /** Those with a note, in the order of their numbers. */
  noted: HighlightView[];
  /** Those whose words the text no longer has. */
  lost: HighlightView[];
};
