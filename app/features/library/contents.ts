import type { DocumentKind, ExtraKind } from "~db/schema";
import { type Edition, type EditionEntry, inParts } from "./edition";
import { labelAbove } from "./entry-label";
import { contentsPath, documentPath, EXTRAS_ID } from "./library-paths";
import { progressIn, type ReadingState, type TextProgress } from "./reading-state";
import { minutesToHear, minutesToRead } from "./reading-time";

/** Maximum number of entries on a page, which keeps the pages of long editions light. */
const ENTRIES_PER_PAGE = 60;

/** Titles of the kinds of extras, in the order of the contents. */
const EXTRA_SECTIONS: readonly { kind: ExtraKind; title: string }[] = [
  { kind: "practice", title: "Practices" },
  { kind: "notebook-page", title: "Notebook pages" },
  { kind: "audio-walk", title: "Audio walks" },
];

/** A chapter or extra in the contents. */
export type ContentsEntry = {
  slug: string;
  path: string;
  /** The chapter's number, or the extra's number within its kind; null if the chapter has a label. */
  number: number | null;
  /** What is above the title in place of a number. */
  label: string | null;
  title: string;
  summary: string;
  minutes: number;
  /** Of its sound; null without one. */
  soundMinutes: number | null;
};

/** The chapters of one part, or the extras of one kind. */
export type ContentsSection = {
  id: string;
  kind: DocumentKind;
  title: string;
  entries: ContentsEntry[];
};

/** A page of the contents. */
export type Contents = { page: number; pageCount: number; sections: ContentsSection[] };

/**
 * Returns a page of the contents at `now`, counted from 1: chapters by part first, then extras by kind. Null if there is no
 * such page.
 */
export function contentsPage(edition: Edition, page: number, now: Date): Contents | null {
  const extras = edition.extras(now);
  const all = [
    ...inParts(edition.chapters(now)).map(({ part, chapters }, index) => ({
      id: index === 0 ? "chapters" : `chapters-${index + 1}`,
      kind: "chapter" as const,
      title: part ?? "Chapters",
      entries: chapters,
    })),
    ...EXTRA_SECTIONS.map(({ kind, title }) => ({
      id: kind,
      kind: "extra" as const,
      title,
      entries: extras.filter(({ extraKind }) => extraKind === kind),
    })),
  ];
  const total = all.reduce((sum, { entries }) => sum + entries.length, 0);
  const pageCount = Math.max(1, Math.ceil(total / ENTRIES_PER_PAGE));
  if (!Number.isInteger(page) || page < 1 || page > pageCount) return null;

  const sections: ContentsSection[] = [];
  let before = (page - 1) * ENTRIES_PER_PAGE;
  let room = ENTRIES_PER_PAGE;
  for (const { entries, ...section } of all) {
    const first = before;
    const shown = entries.slice(first, first + room).map((entry, index) => {
      // an extra's position counts all kinds
      const number = entry.kind === "chapter" ? entry.number : first + index + 1;
      return toContentsEntry(entry, number);
    });
    before = Math.max(0, before - entries.length);
    room -= shown.length;
    if (shown.length > 0) sections.push({ ...section, entries: shown });
  }
  return { page, pageCount, sections };
}

/** Returns the path of the first extra in the contents at `now`. */
export function extrasPath(edition: Edition, now: Date): string {
  const page = Math.floor(edition.chapters(now).length / ENTRIES_PER_PAGE) + 1;
  return `${contentsPath(page)}#${EXTRAS_ID}`;
}

function toContentsEntry(entry: EditionEntry, number: number | null): ContentsEntry {
  const { slug, title, summary, wordCount } = entry;
  return {
    slug,
    path: documentPath(entry),
    number,
    label: number === null ? labelAbove(entry) : null,
    title,
    summary,
    minutes: minutesToRead(wordCount),
    soundMinutes: minutesToHear(entry.sound),
  };
}

/** Returns a member's progress in the texts on a page of the contents, by slug. */
export function progressOf(
  { sections }: Contents,
  state: ReadingState,
): Record<string, TextProgress> {
  const slugs = sections.flatMap(({ entries }) => entries.map(({ slug }) => slug));
  return Object.fromEntries(slugs.map((slug) => [slug, progressIn(state, slug)]));
}
