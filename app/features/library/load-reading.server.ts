import type { Viewer } from "~/features/accounts/viewer";
import { findMatches, parseSearch } from "~db/queries/edition-search";
import { findStoredTexts } from "~db/queries/editions";
import { findNote } from "~db/queries/notes";
import { findReadingProgress } from "~db/queries/reading-progress";
import type { DocumentKind } from "~db/schema";
import type { Range } from "~db/search-text";
import type { Edition } from "./edition";
import type { TextHighlights } from "./highlights/highlight";
import { highlightsInText } from "./highlights/highlights-in-text.server";
import { type Mark, withMarks } from "./highlights/mark-passages";
import type { Note } from "./notes/note";
import { findReadingDocument, type ReadingDocument } from "./reading-document";
import { type TextProgress, textProgress } from "./reading-state";
import { searchWords } from "./search-paths";
import { NOT_TEXT } from "./stored-html";

/** A chapter or extra for one member. */
export type Reading = {
  document: ReadingDocument;
  /** Id of the member who owns the notes and positions. */
  owner: string;
  progress: TextProgress;
  /** Where the member stopped listening, in seconds; null to start at the beginning. */
  second: number | null;
  note: Note;
  highlights: TextHighlights;
};

/**
 * Loads a chapter or extra for a member, with HTML that marks their highlights and the words of a search. Null if no text
 * of this kind with this slug is published.
 */
export async function loadReading(
  { viewer, edition }: { viewer: Viewer; edition: Edition },
  { kind, slug, search }: { kind: DocumentKind; slug: string; search: string | null },
): Promise<(Reading & { html: string }) | null> {
  const now = new Date();
  const document = findReadingDocument(edition, { kind, slug }, now);
  if (!document) return null;
  const owner = viewer.user.id;
  const key = { userId: owner, slug };
  const [[stored], progress, note] = await Promise.all([
    findStoredTexts(edition.digest, [slug]),
    findReadingProgress(key),
    findNote(key),
  ]);
  if (!stored) return null;
  const { marks, links, state, ...highlights } = await highlightsInText(owner, stored);
  const matches = search === null ? [] : await matchesIn(stored.html, search);
  const html = withMarks(stored.html, [marks, matches], links);
  const textKey = `${document.key}?${search ?? ""}#${state}`;
  return {
    document: { ...document, key: textKey },
    owner,
    progress: textProgress(document, {
      isRead: progress !== null && progress.readAt !== null,
      block: progress?.block ?? null,
    }),
    second: document.sound && (progress?.second ?? null),
    note: note ?? { text: "", version: 0 },
    highlights,
    html,
  };
}

/**
 * Returns a stored text's HTML with `<mark>` around the words that a search finds. Changes nothing else, whatever the
 * search, and nothing at all if it is empty.
 */
export async function markMatches(html: string, words: string): Promise<string> {
  return withMarks(html, [await matchesIn(html, words)]);
}

async function matchesIn(html: string, words: string): Promise<Mark[]> {
  const query = searchWords(words);
  const terms = query === "" ? null : await parseSearch(query);
  if (!terms) return [];
  // replace markup with line breaks of equal length, so positions in text and HTML agree
  const text = html.replace(NOT_TEXT, (part) => "\n".repeat(part.length));
  let matches: Range[] = [];
  for (const tried of [terms.exact, terms.prefix]) {
    if (tried && matches.length === 0) matches = await findMatches(text, tried);
  }
  return matches.map((match) => ({ ...match, tag: "<mark>" }));
}
