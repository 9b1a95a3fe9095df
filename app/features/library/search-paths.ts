import { SEARCH_PATH } from "./library-paths";

/** Maximum length of a search, in characters. */
export const MAX_SEARCH_LENGTH = 200;

/** Query parameter of a search, and of a text's page that should mark the words found. */
export const SEARCH_PARAMETER = "q";

/** Reads the page number in a query; 1 for any other text. */
export function pageNumber(text: string | null): number {
  return text !== null && /^[1-9]\d{0,3}$/.test(text) ? Number(text) : 1;
}

/** Returns the path of a page of results, counted from 1; `path` is that of the page without a search. */
export function searchPath(query: string, page = 1, path = SEARCH_PATH): string {
  const search = new URLSearchParams({ [SEARCH_PARAMETER]: query });
  if (page > 1) search.set("page", String(page));
  return `${path}?${search}`;
}

/** Normalizes a search to one line of at most 200 characters. */
export function searchWords(words: string): string {
  return words
    .slice(0, MAX_SEARCH_LENGTH)
    .replace(/[\s\p{Cc}\p{Cs}]+/gu, " ")
    .trim();
}
