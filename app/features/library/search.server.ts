import {
  findBestMatches,
  findMatches,
  MAX_RANKED,
  parseSearch,
  type SearchTerms,
  searchDocuments,
} from "~db/queries/edition-search";
import type { Edition, EditionEntry } from "./edition";
import { labelOf } from "./entry-label";
import { blockId, documentPath } from "./library-paths";
import { markedText, passageOf } from "./passage";
import { searchPath } from "./search-paths";
import type { SearchResult, SearchView } from "./search-view";
import { searchWords } from "./search-words";

const PAGE_SIZE = 20;

/** Of each text, how many blocks are looked at more closely; they are the likeliest ones. */
const BLOCKS_COMPARED = 3;

/** The number that stands for a text's summary, among those of its blocks. */
const SUMMARY = 0;

/** More of a block is not needed to find a passage in it. */
const MAX_BLOCK_LENGTH = 8_000;

/**
 * What a search finds in the texts that are published at `now`: a page of it, counted from 1, or the first one if
 * there is no such page. If nothing has the words, the last of them is taken for the beginning of one.
 */
export async function searchLibrary(
  edition: Edition,
  { words, page, now }: { words: string; page: number; now: Date },
): Promise<SearchView> {
  const query = searchWords(words);
  const nothing: SearchView = { query, total: 0, page: 1, pages: 0, results: [] };
  const terms = query === "" ? null : await parseSearch(query);
  if (!terms) return nothing;
  for (const tried of [terms.exact, terms.prefix]) {
    if (!tried) continue;
    const found = await loadPage(edition, tried, { query, page, now });
    if (found) return { query, ...found };
  }
  return nothing;
}

async function loadPage(
  edition: Edition,
  terms: SearchTerms,
  { query, page, now }: { query: string; page: number; now: Date },
): Promise<Omit<SearchView, "query"> | null> {
  const offset = (page - 1) * PAGE_SIZE;
  const { total, documents } = await searchDocuments(edition.digest, terms, {
    now,
    offset,
    limit: PAGE_SIZE,
  });
  if (documents.length === 0)
    return page > 1 ? loadPage(edition, terms, { query, page: 1, now }) : null;

  const found = documents.flatMap(({ slug, blocks }) => {
    const entry = edition.find(slug, now);
    return entry ? [{ entry, blocks }] : [];
  });
  const titles = found.map(({ entry }) => entry.title);
  const [bestMatches, titleMatches] = await Promise.all([
    findBestMatches(
      found.map(({ entry, blocks }) => [
        ...likelyBlocks(blocks, terms),
        { number: SUMMARY, text: entry.summary },
      ]),
      terms,
    ),
    findMatches(titles.join("\n"), terms),
  ]);

  let titleStart = 0;
  const results = found.map(({ entry, blocks }, index): SearchResult => {
    const { number, matches } = bestMatches[index] ?? { number: SUMMARY, matches: [] };
    // a text that matches by its title alone has no matching block
    const block = matches.length === 0 ? SUMMARY : number;
    const text = block === SUMMARY ? entry.summary : (blocks[block - 1] ?? "");
    const titleRange = { start: titleStart, end: titleStart + entry.title.length };
    titleStart = titleRange.end + 1;
    return {
      label: labelOf(entry),
      path: resultPath(entry, query, block),
      title: markedText(titles.join("\n"), titleRange, titleMatches),
      ...passageOf(text, matches),
    };
  });
  const pages = Math.ceil(Math.min(total, MAX_RANKED) / PAGE_SIZE);
  return { total, page: Math.min(page, pages), pages, results };
}

function resultPath(entry: EditionEntry, query: string, block: number): string {
  const { search } = new URL(searchPath(query), "http://path");
  return documentPath(entry) + search + (block === SUMMARY ? "" : `#${blockId(block)}`);
}

/**
 * The blocks that have the most of the words, by a rough comparison of their beginnings: parsing every block of every
 * result as PostgreSQL does would take longer than the rest of the search. All of them where words have to stand side
 * by side, or if none is likely.
 */
function likelyBlocks(
  blocks: readonly string[],
  { all, stems }: SearchTerms,
): { number: number; text: string }[] {
  const numbered = blocks.map((text, index) => ({
    number: index + 1,
    text: text.slice(0, MAX_BLOCK_LENGTH),
  }));
  if (all.includes("<")) return numbered;
  const patterns = stems.map((stem) => ({
    exact: beginningWith(stem),
    // the end of a stem need not be in the word: "hopes" has the stem "hope", and so has "hoping"
    rough: beginningWith(stem.slice(0, Math.max(3, stem.length - 2))),
  }));
  const scored = numbered
    .map((block) => ({
      block,
      score: patterns.reduce((sum, { exact, rough }) => {
        if (exact.test(block.text)) return sum + 3;
        return rough.test(block.text) ? sum + 1 : sum;
      }, 0),
    }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score);
  return scored.length === 0
    ? numbered
    : scored.slice(0, BLOCKS_COMPARED).map(({ block }) => block);
}

// stems have letters, digits and hyphens alone
const beginningWith = (stem: string) => new RegExp(`(?<![\\p{L}\\p{N}])${stem}`, "iu");
