import { SEARCH_PATH } from "./library-paths";

/** Characters of a search that are looked for. */
export const MAX_SEARCH_LENGTH = 200;

/** The parameter of a search, and of a text's page that is to mark the words found. */
export const SEARCH_PARAMETER = "q";

/** The path of a page of what a search finds, counted from 1. */
export function searchPath(query: string, page = 1): string {
  const search = new URLSearchParams({ [SEARCH_PARAMETER]: query });
  if (page > 1) search.set("page", String(page));
  return `${SEARCH_PATH}?${search}`;
}

/** A query as it is searched for: one line, of at most 200 characters. */
export function searchWords(words: string): string {
  return words
    .slice(0, MAX_SEARCH_LENGTH)
    .replace(/[\s\p{Cc}\p{Cs}]+/gu, " ")
    .trim();
}
