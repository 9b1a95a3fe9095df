import { extrasPath } from "./contents";
import type { Edition, EditionEntry } from "./edition";
import { labelOf } from "./entry-label";
import type { LibraryOverview, ListedText, WayOn } from "./library-overview-data";
import { blockId, documentPath } from "./library-paths";
import { readingStateOf } from "./reading-progress.server";
import { progressIn, type ReadingState, type TextProgress } from "./reading-state";
import { minutesToRead } from "./reading-time";

/** How many chapters the members' area lists: those around the place where one is. */
const LISTED_CHAPTERS = 12;

const NEWEST_EXTRAS = 3;

/** What the members' area shows of an edition to one of its readers, in one query. */
export async function libraryOverview(
  userId: string,
  edition: Edition,
  now: Date = new Date(),
): Promise<LibraryOverview> {
  const state = await readingStateOf(userId, edition, now);
  const chapters = edition.chapters(now);
  const list = (entry: EditionEntry): ListedText => ({
    path: documentPath(entry),
    title: entry.title,
    label: labelOf(entry),
    minutes: minutesToRead(entry.wordCount),
    progress: progressIn(state, entry.slug),
  });
  const isRead = ({ slug }: EditionEntry) => progressIn(state, slug).isRead;
  const next = nextText(state, edition, now);
  return {
    wayOn: next && wayOn(next, state, chapters),
    chapters: around(chapters, next).map(list),
    chapterCount: chapters.length,
    chaptersRead: chapters.filter(isRead).length,
    minutesLeft: chapters
      .map((chapter) => minutesFor(chapter, progressIn(state, chapter.slug)))
      .reduce((sum, minutes) => sum + minutes, 0),
    extras: newestFirst(edition.extras(now)).slice(0, NEWEST_EXTRAS).map(list),
    extrasPath: extrasPath(edition, now),
  };
}

/** The text to go on with: the one in which reading stopped last, or else the first unread chapter. */
function nextText(state: ReadingState, edition: Edition, now: Date): EditionEntry | null {
  const stopped = state.lastSlug === null ? null : edition.find(state.lastSlug, now);
  const isUnread = ({ slug }: EditionEntry) => !progressIn(state, slug).isRead;
  return stopped ?? edition.chapters(now).find(isUnread) ?? null;
}

function wayOn(entry: EditionEntry, state: ReadingState, chapters: EditionEntry[]): WayOn {
  const progress = progressIn(state, entry.slug);
  const { stoppedAt } = progress;
  const hasRead = chapters.some(({ slug }) => progressIn(state, slug).isRead);
  const elsewhere = hasRead ? "next" : "first";
  return {
    kind: entry.slug === state.lastSlug ? "stopped" : elsewhere,
    path: documentPath(entry) + (stoppedAt === null ? "" : `#${blockId(stoppedAt)}`),
    title: entry.title,
    label: labelOf(entry),
    minutes: minutesFor(entry, progress),
  };
}

/** The chapters from two before the next one, or as many as there are. */
function around(chapters: EditionEntry[], next: EditionEntry | null): EditionEntry[] {
  const at = next ? chapters.indexOf(next) : 0;
  const latest = Math.max(0, chapters.length - LISTED_CHAPTERS);
  const from = Math.min(Math.max(0, at - 2), latest);
  return chapters.slice(from, from + LISTED_CHAPTERS);
}

/** What has been there from the beginning comes last, in its own order. */
function newestFirst(extras: EditionEntry[]): EditionEntry[] {
  const time = ({ publishAt }: EditionEntry) => publishAt?.getTime() ?? Number.NEGATIVE_INFINITY;
  return extras.toSorted((one, other) =>
    time(one) === time(other) ? one.position - other.position : time(other) - time(one),
  );
}

function minutesFor({ wordCount }: EditionEntry, { isRead, minutesLeft }: TextProgress): number {
  return isRead ? 0 : (minutesLeft ?? minutesToRead(wordCount));
}
