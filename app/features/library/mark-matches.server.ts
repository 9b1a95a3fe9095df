import { findMatches, parseSearch } from "~db/queries/edition-search";
import { searchWords } from "./search-words";
import { NOT_TEXT } from "./stored-html";

/**
 * A stored text's HTML with `<mark>` around the words that somebody's search finds in it. Nothing else changes,
 * whatever is searched for; and nothing at all if it is nothing.
 */
export async function markMatches(html: string, words: string): Promise<string> {
  const query = searchWords(words);
  const terms = query === "" ? null : await parseSearch(query);
  if (!terms) return html;
  // as many line breaks for what is not text, so that a place in the text is the same place in the HTML
  const text = html.replace(NOT_TEXT, (part) => "\n".repeat(part.length));
  for (const tried of [terms.exact, terms.prefix]) {
    const matches = tried ? await findMatches(text, tried) : [];
    if (matches.length > 0) return withMarks(html, matches);
  }
  return html;
}

function withMarks(html: string, matches: readonly { start: number; end: number }[]): string {
  let marked = "";
  let at = 0;
  for (const { start, end } of matches) {
    marked += `${html.slice(at, start)}<mark>${html.slice(start, end)}</mark>`;
    at = end;
  }
  return marked + html.slice(at);
}
