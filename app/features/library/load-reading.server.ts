import type { Viewer } from "~/features/accounts/viewer";
import { findMatches, parseSearch } from "~db/queries/edition-search";
import { findStoredTexts } from "~db/queries/editions";
import { wantsNewTextsMail } from "~db/queries/new-texts";
import { findNote } from "~db/queries/notes";
import { listReadingProgress } from "~db/queries/reading-progress";
import type { DocumentKind } from "~db/schema";
import type { Range } from "~db/search-text";
import type { Edition, EditionEntry } from "./edition";
import { labelAbove, labelOf } from "./entry-label";
import type { TextHighlights } from "./highlights/highlight";
import { highlightsInText } from "./highlights/highlights-in-text.server";
import { type Mark, withMarks } from "./highlights/mark-passages";
import { listedText } from "./library-overview.server";
import type { ListedText } from "./library-overview-data";
import { documentPath, hitId } from "./library-paths";
import type { Note } from "./notes/note";
import { minutesLeftIn, toReadingState } from "./reading-progress.server";
import { minutesFor, progressIn, type TextProgress } from "./reading-state";
import { minutesToHear, minutesToRead } from "./reading-time";
import { searchWords } from "./search-paths";
import { NOT_TEXT } from "./stored-html";

/** A chapter or extra for its page, without its text. */
export type ReadingDocument = Omit<EditionEntry, "label"> & {
  /** Identifies the text's HTML: its edition, its highlights and a search's matches. */
  key: string;
  path: string;
  /** Label above the title, such as `Chapter 3`; null if the title says the same. */
  label: string | null;
  minutes: number;
  /** Of its sound; null without one. */
  soundMinutes: number | null;
  previous: ListedText | null;
  next: ListedText | null;
};

/** A chapter or extra for one member. */
export type Reading = {
  document: ReadingDocument;
  /** Id of the member who owns the notes and positions. */
  owner: string;
  progress: TextProgress;
  /** The minutes that the unread rest of all other chapters takes to read. */
  minutesElsewhere: number;
  /** Chapters around this one. */
  chapters: ListedText[];
  /** The text before this one, if the member has just finished it. */
  justRead: { slug: string; label: string } | null;
  /** The search whose words are marked, and the number of places; null without one. */
  hits: { query: string; count: number } | null;
  /** Where the member stopped listening, in seconds; null to start at the beginning. */
  second: number | null;
  note: Note;
  /** After the last chapter, whether its member is mailed about new ones; null elsewhere. */
  newTexts: boolean | null;
  highlights: TextHighlights;
};

/** Maximum number of chapters in a text's panel: those around it. */
const LISTED_CHAPTERS = 12;

/** How long a text counts as just finished, in milliseconds. */
const JUST_READ_MS = 10 * 60_000;

/**
 * Loads a chapter or extra for a member, with HTML that marks their highlights and the words of a search. Null if no text
 * of this kind with this slug is published.
 */
export async function loadReading(
  { viewer, edition }: { viewer: Viewer; edition: Edition },
  { kind, slug, search }: { kind: DocumentKind; slug: string; search: string | null },
): Promise<(Reading & { html: string }) | null> {
  const now = new Date();
  const place = edition.placeOf(slug, now);
  if (place?.entry.kind !== kind) return null;
  const owner = viewer.user.id;
  const { entry, previous, next } = place;
  const isLast = kind === "chapter" && next === null;
  const [[stored], rows, note, newTexts] = await Promise.all([
    findStoredTexts(edition.digest, [entry.slug]),
    listReadingProgress(owner),
    findNote({ userId: owner, slug: entry.id }),
    isLast ? wantsNewTextsMail(owner) : null,
  ]);
  if (!stored) return null;
  const state = toReadingState(rows, edition, now);
  const progress = progressIn(state, entry.slug);
  const own = kind === "chapter" ? minutesFor(entry, progress) : 0;
  const rowOf = (text: EditionEntry | null) => rows.find((row) => row.slug === text?.id);
  const finishedAt = rowOf(previous)?.readAt?.getTime() ?? 0;
  const { marks, links, state: marksKey, ...highlights } = await highlightsInText(owner, stored);
  const hits = search === null ? [] : await hitsIn(stored.html, search);
  return {
    document: {
      ...entry,
      key: `${edition.digest}/${entry.slug}?${search ?? ""}#${marksKey}`,
      path: documentPath(entry),
      label: labelAbove(entry),
      minutes: minutesToRead(entry.wordCount),
      soundMinutes: minutesToHear(entry.sound),
      previous: previous && listedText(previous, state),
      next: next && listedText(next, state),
    },
    owner,
    progress,
    minutesElsewhere: minutesLeftIn(edition, state, now) - own,
    chapters: around(edition.chapters(now), entry).map((chapter) => listedText(chapter, state)),
    justRead:
      previous && now.getTime() - finishedAt < JUST_READ_MS
        ? { slug: previous.slug, label: labelOf(previous) }
        : null,
    hits:
      search === null
        ? null
        : { query: searchWords(search), count: hits.filter(isNumbered).length },
    second: entry.sound && (rowOf(entry)?.second ?? null),
    note: note ?? { text: "", version: 0 },
    newTexts,
    highlights,
    html: withMarks(stored.html, [marks, hits], links),
  };
}

/** Returns the chapters starting two before this one, or as many as there are. */
function around(chapters: readonly EditionEntry[], entry: EditionEntry): EditionEntry[] {
  const latest = Math.max(0, chapters.length - LISTED_CHAPTERS);
  const from = Math.min(Math.max(0, chapters.indexOf(entry) - 2), latest);
  return chapters.slice(from, from + LISTED_CHAPTERS);
}

/**
 * Returns a stored text's HTML with `<mark>` around the words that a search finds. Changes nothing else, whatever the
 * search, and nothing at all if it is empty.
 */
export async function markMatches(html: string, words: string): Promise<string> {
  return withMarks(html, [(await matchesIn(html, words)).map(marked)]);
}

const marked = (match: Range): Mark => ({ ...match, tag: "<mark>" });

/** The places that a search finds, with ids `hit-1` and so on. Words that only spaces separate are one place. */
async function hitsIn(html: string, words: string): Promise<Mark[]> {
  const matches = await matchesIn(html, words);
  let count = 0;
  return matches.map((match, index) => {
    const end = matches[index - 1]?.end ?? 0;
    if (index > 0 && html.slice(end, match.start).trim() === "") return marked(match);
    count += 1;
    return { ...match, tag: `<mark id="${hitId(count)}">` };
  });
}

async function matchesIn(html: string, words: string): Promise<Range[]> {
  const query = searchWords(words);
  const terms = query === "" ? null : await parseSearch(query);
  if (!terms) return [];
  // replace markup with line breaks of equal length, so positions in text and HTML agree
  const text = html.replace(NOT_TEXT, (part) => "\n".repeat(part.length));
  for (const tried of [terms.exact, terms.prefix]) {
    const matches = tried ? await findMatches(text, tried) : [];
    if (matches.length > 0) return matches;
  }
  return [];
}

const isNumbered = ({ tag }: Mark) => tag !== "<mark>";
