/** A text divided where found words begin and end. */
export type MarkedText = { text: string; isMatch: boolean }[];

/** A chapter or extra that a search has found. */
export type SearchResult = {
  /** Such as "Chapter 3". */
  label: string;
  title: MarkedText;
  /** The path of its page at the place found, with the search, so that the page can mark the words. */
  path: string;
  passage: MarkedText;
  /** Whether the passage leaves out what stands around it in its paragraph. */
  isCut: { before: boolean; after: boolean };
};

/** A page of what a search has found. */
export type SearchView = {
  /** What was looked for; empty if nothing was. */
  query: string;
  /** How many texts match. */
  total: number;
  /** Counted from 1. */
  page: number;
  /** Zero if nothing was found. The last of many matches may be on none of them. */
  pages: number;
  results: SearchResult[];
};
