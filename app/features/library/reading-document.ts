import type { Edition, EditionEntry, Place } from "./edition";
import { labelAbove } from "./entry-label";
import { listedText } from "./library-overview.server";
import type { ListedText } from "./library-overview-data";
import { documentPath } from "./library-paths";
import type { ReadingState } from "./reading-state";
import { minutesToHear, minutesToRead } from "./reading-time";

/** A chapter or extra for its page, without its text. */
export type ReadingDocument = Omit<EditionEntry, "label"> & {
  /** Identifies the text. It differs between editions. */
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

/** Returns a text for its page, with links to where its reader stopped in its neighbors. */
export function toReadingDocument(
  edition: Edition,
  { entry, previous, next }: Place,
  state: ReadingState,
): ReadingDocument {
  return {
    ...entry,
    key: `${edition.digest}/${entry.slug}`,
    path: documentPath(entry),
    label: labelAbove(entry),
    minutes: minutesToRead(entry.wordCount),
    soundMinutes: minutesToHear(entry.sound),
    previous: previous && listedText(previous, state),
    next: next && listedText(next, state),
  };
}
