import { extrasPath } from "./contents";
import type { Edition, EditionEntry } from "./edition";
import { labelOf } from "./entry-label";
import type { LibraryOverview, ListedText, WayOn } from "./library-overview-data";
import { blockId, documentPath } from "./library-paths";
import { loadReadingState } from "./reading-progress.server";
import { progressIn, type ReadingState, type TextProgress } from "./reading-state";
import { minutesToRead } from "./reading-time";

const NEWEST_EXTRAS = 3;

/** Loads a member's overview of an edition. */
export async function loadLibraryOverview(
  userId: string,
  edition: Edition,
  now: Date = new Date(),
): Promise<LibraryOverview> {
  const state = await loadReadingState(userId, edition, now);
  const chapters = edition.chapters(now);
  const list = (entry: EditionEntry) => listedText(entry, progressIn(state, entry.slug));
  // look only at texts with progress, since there may be a thousand chapters
  const begun = Object.keys(state.texts).flatMap((slug) => {
    const entry = edition.find(slug, now);
    return entry?.kind === "chapter" ? [entry] : [];
  });
  const chaptersRead = begun.filter(({ slug }) => progressIn(state, slug).isRead).length;
  const minutesRead = begun
    .map(
      (entry) => minutesToRead(entry.wordCount) - minutesFor(entry, progressIn(state, entry.slug)),
    )
    .reduce((sum, minutes) => sum + minutes, 0);
  const next = nextText(state, edition, now);
  return {
    wayOn: next && wayOn(next, state, { hasRead: chaptersRead > 0 }),
    chapterCount: chapters.length,
    chaptersRead,
    minutesLeft: edition.chapterMinutes(now) - minutesRead,
    extras: edition.newestExtras(now).slice(0, NEWEST_EXTRAS).map(list),
    extrasPath: extrasPath(edition, now),
  };
}

function listedText(entry: EditionEntry, progress: TextProgress): ListedText {
  return {
    path: documentPath(entry),
    title: entry.title,
    label: labelOf(entry),
    minutes: minutesToRead(entry.wordCount),
    progress,
  };
}

/** Returns the text where reading stopped last, or else the first unread chapter. */
function nextText(state: ReadingState, edition: Edition, now: Date): EditionEntry | null {
  const stopped = state.lastSlug === null ? null : edition.find(state.lastSlug, now);
  const isUnread = ({ slug }: EditionEntry) => !progressIn(state, slug).isRead;
  return stopped ?? edition.chapters(now).find(isUnread) ?? null;
}

function wayOn(entry: EditionEntry, state: ReadingState, { hasRead }: { hasRead: boolean }): WayOn {
  const progress = progressIn(state, entry.slug);
  const { stoppedAt } = progress;
  const elsewhere = hasRead ? "next" : "first";
  return {
    kind: entry.slug === state.lastSlug ? "stopped" : elsewhere,
    path: documentPath(entry) + (stoppedAt === null ? "" : `#${blockId(stoppedAt)}`),
    title: entry.title,
    label: labelOf(entry),
    minutes: minutesFor(entry, progress),
  };
}

function minutesFor({ wordCount }: EditionEntry, { isRead, minutesLeft }: TextProgress): number {
  return isRead ? 0 : (minutesLeft ?? minutesToRead(wordCount));
}
