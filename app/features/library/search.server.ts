import { setImmediate } from "node:timers/promises";
import {
  findBestMatches,
  findMatches,
  MAX_RANKED,
  parseSearch,
  type SearchTerms,
  searchDocuments,
} from "~db/queries/edition-search";
import { type Range, roughlyFolded } from "~db/search-text";
import type { Edition, EditionEntry } from "./edition";
import { labelOf } from "./entry-label";
import { blockId, documentPath } from "./library-paths";
import { searchPath, searchWords } from "./search-paths";
import type { MarkedText, SearchResult, SearchView } from "./search-view";

const PAGE_SIZE = 20;

/** Number of blocks per text that are compared closely, the likeliest ones; more if words must be adjacent. */
const BLOCKS_COMPARED = 3;
const BLOCKS_WITH_PHRASE = 8;

/** Number of words that decide which blocks are likely. */
const WORDS_COMPARED = 10;

/** Stands for a text's summary among the numbers of its blocks. */
const SUMMARY = 0;

/** Maximum length of a block that is searched for a passage, in characters. */
const MAX_BLOCK_LENGTH = 8_000;

/**
 * Searches the texts published at `now` and returns one page of results, counted from 1. Returns the first page if
 * there is no such page. If no text has the words, the last one counts as a prefix.
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

  const found: { entry: EditionEntry; blocks: string[]; likely: NumberedText[] }[] = [];
  for (const document of documents) {
    const entry = edition.find(document.slug, now);
    if (!entry) continue;
    const blocks: string[] = JSON.parse(document.blocks);
    found.push({ entry, blocks, likely: likelyBlocks(blocks, terms) });
    // a long text takes milliseconds, and other requests wait
    await setImmediate();
  }
  const titles = found.map(({ entry }) => entry.title);
  const [bestMatches, titleMatches] = await Promise.all([
    findBestMatches(
      found.map(({ entry, likely }) => [...likely, { number: SUMMARY, text: entry.summary }]),
      terms,
    ),
    findMatches(titles.join("\n"), terms),
  ]);

  let titleStart = 0;
  const results = found.map(({ entry, blocks }, index): SearchResult => {
    const { number, matches } = bestMatches[index] ?? { number: SUMMARY, matches: [] };
    // a text that matches only by title has no matching block
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

type NumberedText = { number: number; text: string };

/**
 * Returns the blocks that probably have most of the words, by a rough comparison of their beginnings. Parsing every
 * block of every result in PostgreSQL would take longer than the rest of the search. Returns the first blocks if none
 * is likely.
 */
function likelyBlocks(blocks: readonly string[], { all, stems }: SearchTerms): NumberedText[] {
  const beginnings = stems.slice(0, WORDS_COMPARED).map((stem) => ({
    stem,
    // a stem's end need not be in the word: "hopes" and "hoping" both have the stem "hope"
    rough: stem.slice(0, Math.max(3, stem.length - 2)),
  }));
  const scored = blocks.map((block, index) => {
    const text = block.slice(0, MAX_BLOCK_LENGTH);
    const folded = roughlyFolded(text);
    let score = 0;
    for (const { stem, rough } of beginnings) {
      if (hasWord(folded, stem)) score += 3;
      else if (hasWord(folded, rough)) score += 1;
    }
    return { number: index + 1, text, score };
  });
  return scored
    .sort((one, other) => other.score - one.score)
    .slice(0, all.includes("<") ? BLOCKS_WITH_PHRASE : BLOCKS_COMPARED);
}

/** Whether a word of a folded text has this beginning. In scripts without spaces, every letter begins a word. */
function hasWord(folded: string, beginning: string): boolean {
  const isAnywhere = beginning.charCodeAt(0) >= 0x80;
  let at = folded.indexOf(beginning);
  while (at > 0 && !isAnywhere && /[a-z\d]/.test(folded[at - 1] ?? ""))
    at = folded.indexOf(beginning, at + 1);
  return at >= 0;
}

/** Length of a passage in characters, about three lines on a wide screen, and how many precede the first match. */
const LENGTH = 260;
const LEAD = 70;

/** Returns a text's excerpt for the results: a short text as a whole, otherwise the part with most matches. */
function passageOf(
  text: string,
  matches: readonly Range[],
): { passage: MarkedText; isCut: { before: boolean; after: boolean } } {
  const end = text.trimEnd().length;
  let part = { start: 0, end };
  if (end > LENGTH * 1.2) {
    const first = densest(text, matches);
    const start = first < LEAD * 1.5 ? 0 : wordStart(text, first - LEAD);
    const last = start + LENGTH;
    part = { start, end: last >= end - LEAD ? end : wordEnd(text, last) };
  }
  return {
    passage: markedText(text, part, matches),
    isCut: { before: part.start > 0, after: part.end < end },
  };
}

/** Splits part of a text at the start and end of each match. */
function markedText(text: string, part: Range, matches: readonly Range[]): MarkedText {
  const pieces: MarkedText = [];
  let at = part.start;
  for (const { start, end } of matches) {
    if (start < part.start || end > part.end) continue;
    if (start > at) pieces.push({ text: text.slice(at, start), isMatch: false });
    pieces.push({ text: text.slice(start, end), isMatch: true });
    at = end;
  }
  if (at < part.end) pieces.push({ text: text.slice(at, part.end), isMatch: false });
  return pieces;
}

/** Returns the position of the match that most different words follow within a passage. */
function densest(text: string, matches: readonly Range[]): number {
  let best = { start: matches[0]?.start ?? 0, words: 0 };
  for (const [index, { start }] of matches.entries()) {
    const near = matches
      .slice(index, index + LENGTH)
      .filter(({ end }) => end <= start + LENGTH - LEAD);
    const words = new Set(near.map(({ start, end }) => text.slice(start, end).toLowerCase())).size;
    if (words > best.words) best = { start, words };
  }
  return best.start;
}

/** Returns where the first word from here on begins. */
function wordStart(text: string, from: number): number {
  const space = text.slice(from).search(/\s/);
  return space === -1 ? from : from + space + 1;
}

/** Returns where the last word up to here ends. */
function wordEnd(text: string, to: number): number {
  const space = text.slice(0, to).search(/\s\S*$/);
  return space === -1 ? to : space;
}
