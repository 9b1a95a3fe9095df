/** A text split at the start and end of each match. */
export type MarkedText = { text: string; isMatch: boolean }[];

/** A chapter or extra found by a search. */
export type SearchResult = {
  /** Such as "Chapter 3". */
  label: string;
  title: MarkedText;
  /** Path of the passage on its page, with the search as a parameter, so the page can mark the words. */
  path: string;
  passage: MarkedText;
  /** Whether the passage omits text before or after it in its paragraph. */
  isCut: { before: boolean; after: boolean };
};

/** A page of search results. */
export type SearchView = {
  /** The search; empty if there was none. */
  query: string;
  /** Number of matching texts. */
  total: number;
  /** Counted from 1. */
  page: number;
  /** Zero if nothing was found. The pages may not reach the last of many matches. */
  pages: number;
  results: SearchResult[];
};
