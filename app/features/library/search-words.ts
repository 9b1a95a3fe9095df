import { MAX_SEARCH_LENGTH } from "./search-paths";

/** A query as it is searched for: one line, of at most 200 characters. */
export function searchWords(words: string): string {
  return words
    .slice(0, MAX_SEARCH_LENGTH)
    .replace(/[\s\p{Cc}\p{Cs}]+/gu, " ")
    .trim();
}
