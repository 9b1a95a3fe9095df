import type { DocumentKind } from "~db/schema";
import type { Edition, EditionEntry } from "./edition";
import { labelAbove, labelOf } from "./entry-label";
import { documentPath } from "./library-paths";
import { minutesToRead } from "./reading-time";

/** A link to the previous or next text. */
export type Neighbor = { path: string; label: string; title: string };

/** A chapter or extra for its page, without its text. */
export type ReadingDocument = Omit<EditionEntry, "label"> & {
  /** Identifies the text. It differs between editions. */
  key: string;
  path: string;
  /** Label above the title, such as `Chapter 3`; null if the title says the same. */
  label: string | null;
  minutes: number;
  previous: Neighbor | null;
  next: Neighbor | null;
};

/** Finds the chapter or extra with this slug as published at `now`; null if there is none of this kind. */
export function findReadingDocument(
  edition: Edition,
  { kind, slug }: { kind: DocumentKind; slug: string },
  now: Date,
): ReadingDocument | null {
  const place = edition.placeOf(slug, now);
  if (place?.entry.kind !== kind) return null;
  const { entry, previous, next } = place;
  return {
    ...entry,
    key: `${edition.digest}/${slug}`,
    path: documentPath(entry),
    label: labelAbove(entry),
    minutes: minutesToRead(entry.wordCount),
    previous: previous && toNeighbor(previous),
    next: next && toNeighbor(next),
  };
}

function toNeighbor(entry: EditionEntry): Neighbor {
  return { path: documentPath(entry), label: labelOf(entry), title: entry.title };
}
