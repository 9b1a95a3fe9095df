import { extrasPath } from "./contents";
import type { Edition, EditionEntry } from "./edition";
import { labelOf } from "./entry-label";
import type { LibraryOverview, ListedText, WayOn } from "./library-overview-data";
import { documentPath, stoppedPath } from "./library-paths";
import { loadReadingState, minutesLeftIn } from "./reading-progress.server";
import { minutesFor, progressIn, type ReadingState } from "./reading-state";
import { minutesToHear, minutesToRead } from "./reading-time";

const NEWEST_EXTRAS = 3;

/** Loads a member's overview of an edition. */
export async function loadLibraryOverview(
  userId: string,
  edition: Edition,
  now: Date = new Date(),
): Promise<LibraryOverview> {
  const state = await loadReadingState(userId, edition, now);
  const chapters = edition.chapters(now);
  const list = (entry: EditionEntry) => listedText(entry, state);
  const chaptersRead = chapters.filter(({ slug }) => progressIn(state, slug).isRead).length;
  const next = nextText(state, edition, now);
  return {
    wayOn: next && wayOn(next, state, { hasRead: chaptersRead > 0 }),
    chapterCount: chapters.length,
    chaptersRead,
    minutesLeft: minutesLeftIn(edition, state, now),
    extras: edition.newestExtras(now).slice(0, NEWEST_EXTRAS).map(list),
    extrasPath: extrasPath(edition, now),
  };
}

/** Returns a text for a list. Its path is that of the place where its reader stopped. */
export function listedText(entry: EditionEntry, state: ReadingState): ListedText {
  const progress = progressIn(state, entry.slug);
  return {
    path: stoppedPath(documentPath(entry), progress.stoppedAt),
    title: entry.title,
    label: labelOf(entry),
    minutes: minutesToRead(entry.wordCount),
    soundMinutes: minutesToHear(entry.sound),
    progress,
  };
}

/**
 * Returns the text to go on with: the next unread chapter after the one finished last, or where reading has stopped
 * since, or else the first unread chapter.
 */
function nextText(state: ReadingState, edition: Edition, now: Date): EditionEntry | null {
  const { lastSlug, finishedSlug } = state;
  const chapters = edition.chapters(now);
  const isUnread = ({ slug }: EditionEntry) => !progressIn(state, slug).isRead;
  const finished = chapters.findIndex(({ slug }) => slug === finishedSlug);
  const following = finished === -1 ? null : chapters.slice(finished).find(isUnread);
  const stopped = lastSlug === null ? null : edition.find(lastSlug, now);
  return following ?? stopped ?? chapters.find(isUnread) ?? null;
}

function wayOn(entry: EditionEntry, state: ReadingState, { hasRead }: { hasRead: boolean }): WayOn {
  const { path, title, label, soundMinutes, progress } = listedText(entry, state);
  const elsewhere = hasRead ? "next" : "first";
  return {
    kind: entry.slug === state.lastSlug ? "stopped" : elsewhere,
    path,
    title,
    label,
    minutes: minutesFor(entry, progress),
    soundMinutes,
  };
}
