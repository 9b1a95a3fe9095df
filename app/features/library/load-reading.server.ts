import type { Viewer } from "~/features/accounts/viewer";
import { findMatches, parseSearch } from "~db/queries/edition-search";
import { findDocumentHtml } from "~db/queries/editions";
import { wantsNewTextsMail } from "~db/queries/new-texts";
import { findNote } from "~db/queries/notes";
import { findReadingProgress } from "~db/queries/reading-progress";
import type { DocumentKind } from "~db/schema";
import type { Edition } from "./edition";
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
  /** After the last chapter, whether its member is mailed about new ones; null elsewhere. */
  newTexts: boolean | null;
};

/**
 * Loads a chapter or extra for a member, with HTML that marks the words of a search. Null if no text of this kind with
 * this slug is published.
 */
export async function loadReading(
  { viewer, edition }: { viewer: Viewer; edition: Edition },
  { kind, slug, search }: { kind: DocumentKind; slug: string; search: string | null },
): Promise<(Reading & { html: string }) | null> {
  const now = new Date();
  const document = findReadingDocument(edition, { kind, slug }, now);
  if (!document) return null;
  const owner = viewer.user.id;
  const key = { userId: owner, slug: document.id };
  const isLast = kind === "chapter" && document.next === null;
  const [stored, progress, note, newTexts] = await Promise.all([
    findDocumentHtml(edition.digest, slug),
    findReadingProgress(key),
    findNote(key),
    isLast ? wantsNewTextsMail(owner) : null,
  ]);
  if (stored === null) return null;
  const html = search === null ? stored : await markMatches(stored, search);
  const textKey = search === null ? document.key : `${document.key}?${search}`;
  return {
    document: { ...document, key: textKey },
    owner,
    progress: textProgress(document, {
      isRead: progress !== null && progress.readAt !== null,
      block: progress?.block ?? null,
    }),
    second: document.sound && (progress?.second ?? null),
    note: note ?? { text: "", version: 0 },
    newTexts,
    html,
  };
}

/**
 * Returns a stored text's HTML with `<mark>` around the words that a search finds. Changes nothing else, whatever the
 * search, and nothing at all if it is empty.
 */
export async function markMatches(html: string, words: string): Promise<string> {
  const query = searchWords(words);
  const terms = query === "" ? null : await parseSearch(query);
  if (!terms) return html;
  // replace markup with line breaks of equal length, so positions in text and HTML agree
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
