import { findStoredTexts } from "~db/queries/editions";
import { findMovedTexts, searchHighlights } from "~db/queries/highlights";
import type { Highlight } from "~db/schema";
import { roughlyFolded } from "~db/search-text";
import type { Edition, EditionEntry } from "../edition";
import { labeledTitle } from "../entry-label";
import { documentPath, passageId } from "../library-paths";
import { searchWords } from "../search-paths";
import type { HighlightView } from "./highlight";
import { highlightsInText, viewOf } from "./highlights-in-text.server";

const PAGE_SIZE = 50;

/** A page of a member's highlights, as plain data. */
export type HighlightList = {
  query: string;
  total: number;
  /** Counted from 1. */
  page: number;
  pages: number;
  /** By text, in the order of the edition; those of texts that it no longer has are last. */
  texts: { slug: string; title: string; highlights: ListedHighlight[] }[];
};

/** A highlight with the path of its passage; null if the words, or their text, are lost. */
export type ListedHighlight = HighlightView & { path: string | null };

type Member = { userId: string; edition: Edition };

/** Returns a page of a member's highlights that have all words of a search in their quote or note. */
export async function listHighlights(
  { userId, edition }: Member,
  { words, page, now }: { words: string; page: number; now: Date },
): Promise<HighlightList> {
  const query = searchWords(words);
  const wanted = {
    words: roughlyFolded(query).split(" ").filter(Boolean),
    textIds: edition.all().map(({ id }) => id),
    limit: PAGE_SIZE,
  };
  const load = (page: number) =>
    searchHighlights(userId, { ...wanted, offset: (page - 1) * PAGE_SIZE });
  let result = await load(page);
  if (result.total === 0 && page > 1)
    return listHighlights({ userId, edition }, { words, page: 1, now });
  const textIds = [...new Set(result.found.map(({ slug }) => slug))];
  const moved = await findMovedTexts(userId, edition.digest, textIds);
  if (moved.length > 0) {
    for (const text of await findStoredTexts(edition.digest, moved)) {
      await highlightsInText(userId, text);
    }
    result = await load(page);
  }
  const { total, found } = result;
  const texts: HighlightList["texts"] = [];
  for (const row of found) {
    const entry = edition.find(row.slug, now);
    if (texts.at(-1)?.slug !== row.slug) {
      texts.push({
        slug: row.slug,
        title: entry ? labeledTitle(entry) : row.title,
        highlights: [],
      });
    }
    texts.at(-1)?.highlights.push({ ...viewOf(row), path: pathOf(entry, row) });
  }
  return { query, total, page, pages: Math.ceil(total / PAGE_SIZE), texts };
}

/** Returns the path of a highlight's passage; null if it or its text is lost. */
export const pathOf = (entry: EditionEntry | null, { id, isLost }: Highlight) =>
  entry && !isLost ? `${documentPath(entry)}#${passageId(id)}` : null;
