import type { Site } from "~/features/site/site";
import type { DocumentKind, ExtraKind } from "~db/schema";
import { isDraft } from "./draft";
import type { EditionProblem } from "./importer/edition-problem";

/** A text's sound. */
export type Sound = {
  /** File name below `MEDIA_PATH`: part of its SHA-256, and its extension. */
  name: string;
  mediaType: string;
  bytes: number;
  /** In seconds; null if unknown. */
  duration: number | null;
};

/** A chapter or extra without its text. */
export type EditionEntry = {
  kind: DocumentKind;
  slug: string;
  /** What members' data is kept under: its slug, or an earlier one that its front matter names. */
  id: string;
  /** Counted from 1 within its kind, in reading order, including unpublished texts. */
  position: number;
  /** A chapter's number, which counts only chapters without a label; null for other texts. */
  number: number | null;
  /** What a chapter has in place of its number, such as `Prologue`. */
  label: string | null;
  /** The part of the book that a chapter is in; null outside of parts. */
  part: string | null;
  title: string;
  summary: string;
  /** When members start to see it; null for always. */
  publishAt: Date | null;
  /** Null for chapters. */
  extraKind: ExtraKind | null;
  sound: Sound | null;
  /** Whether anyone may read it. */
  isPublic: boolean;
  /** Of its own words: a BCP 47 tag, and the direction of its script. */
  language: string;
  dir: Site["dir"];
  wordCount: number;
  blockCount: number;
};

/** A chapter or extra with its published neighbors of the same kind. */
export type Place = {
  entry: EditionEntry;
  previous: EditionEntry | null;
  next: EditionEntry | null;
};

/** An edition of the book without its texts, small enough to keep in memory. Only `all` returns unpublished entries. */
export class Edition {
  readonly #chapters: readonly EditionEntry[];
  readonly #extras: readonly EditionEntry[];
  readonly #byName: ReadonlyMap<string, EditionEntry>;

  constructor(
    /** Identifies the edition's content, in hexadecimal. */
    readonly digest: string,
    entries: readonly EditionEntry[],
    readonly site: Site,
    /** Mistakes in `site.yml` and `pages`, for which an earlier site is shown. */
    readonly siteProblems: readonly EditionProblem[] = [],
  ) {
    const inOrder = entries.toSorted((one, other) => one.position - other.position);
    this.#chapters = inOrder.filter(({ kind }) => kind === "chapter");
    this.#extras = inOrder.filter(({ kind }) => kind === "extra");
    this.#byName = new Map(
      entries.flatMap((entry) => [entry.id, entry.slug].map((name) => [name, entry])),
    );
  }

  /** Returns the chapters published at `now`, in reading order. */
  chapters(now: Date): readonly EditionEntry[] {
    return this.#chapters.filter((entry) => isPublished(entry, now));
  }

  /** Returns the extras published at `now`, in their order. */
  extras(now: Date): readonly EditionEntry[] {
    return this.#extras.filter((entry) => isPublished(entry, now));
  }

  /** Returns the same, newest first. Extras without a date come last, in their order. */
  newestExtras(now: Date): readonly EditionEntry[] {
    return this.extras(now).toSorted(newestFirst);
  }

  /** Returns the published texts that anyone may read, chapters first. */
  publicTexts(now: Date): readonly EditionEntry[] {
    return [...this.chapters(now), ...this.extras(now)].filter(({ isPublic }) => isPublic);
  }

  /** Returns every chapter and extra, including unpublished ones, each kind in its order. */
  all(): readonly EditionEntry[] {
    return [...this.#chapters, ...this.#extras];
  }

  /** Returns the published chapter or extra with this slug or id, or null. */
  find(name: string, now: Date): EditionEntry | null {
    const entry = this.#byName.get(name);
    return entry && isPublished(entry, now) ? entry : null;
  }

  /** Like `find`, with its neighbors of the same kind. */
  placeOf(slug: string, now: Date): Place | null {
    const entry = this.find(slug, now);
    if (!entry) return null;
    const series = entry.kind === "chapter" ? this.#chapters : this.#extras;
    const at = series.indexOf(entry);
    const isOut = (other: EditionEntry) => isPublished(other, now);
    return {
      entry,
      previous: series.slice(0, at).findLast(isOut) ?? null,
      next: series.slice(at + 1).find(isOut) ?? null,
    };
  }

  /** Returns when the next chapter or extra after `now` is published; null if none is scheduled. */
  nextPublication(now: Date): Date | null {
    const times = this.all().flatMap((entry) =>
      entry.publishAt !== null && entry.publishAt > now && !isDraft(entry)
        ? [entry.publishAt.getTime()]
        : [],
    );
    return times.length === 0 ? null : new Date(Math.min(...times));
  }
}

/** Groups chapters, in reading order, by their part. */
export function inParts(
  chapters: readonly EditionEntry[],
): { part: string | null; chapters: EditionEntry[] }[] {
  const groups: { part: string | null; chapters: EditionEntry[] }[] = [];
  for (const chapter of chapters) {
    const last = groups.at(-1);
    if (last && last.part === chapter.part) last.chapters.push(chapter);
    else groups.push({ part: chapter.part, chapters: [chapter] });
  }
  return groups;
}

const timeOf = ({ publishAt }: EditionEntry) => publishAt?.getTime() ?? Number.NEGATIVE_INFINITY;

function newestFirst(one: EditionEntry, other: EditionEntry): number {
  const [time, otherTime] = [timeOf(one), timeOf(other)];
  return time === otherTime ? one.position - other.position : otherTime - time;
}

function isPublished({ publishAt }: EditionEntry, now: Date): boolean {
  return publishAt === null || publishAt <= now;
}
