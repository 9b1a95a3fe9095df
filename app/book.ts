/** The facts about the book that more than one place states (specification, 2 and 9). */
export const BOOK_TITLE = "The Golden Path";
export const AUTHOR_FIRST_NAME = "Maren";
export const AUTHOR_NAME = `${AUTHOR_FIRST_NAME} Ashdown`;
export const PUBLISHER = "Golden Path Press";
export const BOOK_DESCRIPTION =
  "A calm and practical guide to finding what matters, and walking toward it one honest step at a time.";

/** In US dollars. */
export const BOOK_PRICE = "24.99";

/** Out of five. */
export const RATING = 4.9;
export const REVIEW_COUNT = 2847;
export const READERS_CLAIM = "10,000+ readers transformed";
