import type { DocumentKind, ExtraKind } from "~db/schema";
import type { LandingWords } from "./landing-words";
import { minutesToRead } from "./reading-time";

/** A sound that belongs to a text. */
export type Sound = {
  /** Its name below `MEDIA_PATH`: a part of its SHA-256, and its extension. */
  name: string;
  mediaType: string;
  bytes: number;
  /** Seconds; null if it could not be determined. */
  duration: number | null;
};

/** What is known of a chapter or extra without its text. */
export type EditionEntry = {
  kind: DocumentKind;
  slug: string;
  /** Counted from 1 within its kind, in reading order, whether published or not. */
  position: number;
  title: string;
  summary: string;
  /** From when members see it; null for always. */
  publishAt: Date | null;
  /** Null for chapters. */
  extraKind: ExtraKind | null;
  sound: Sound | null;
  /** Whether everybody may read it. */
  isPublic: boolean;
  wordCount: number;
  blockCount: number;
};

/** A chapter or extra with what comes before and after it, of its kind and published. */
export type Place = {
  entry: EditionEntry;
  previous: EditionEntry | null;
  next: EditionEntry | null;
};

/**
 * An edition of the book, without its texts: small enough to be kept in memory. What is not published yet is known
 * to it and shown to nobody.
 */
export class Edition {
  readonly #chapters: readonly EditionEntry[];
  readonly #extras: readonly EditionEntry[];
  readonly #bySlug: ReadonlyMap<string, EditionEntry>;

  constructor(
    /** Identifies its content, in hexadecimal. */
    readonly digest: string,
    entries: readonly EditionEntry[],
    /** The landing page's own words, as `landing.yml` has them; null if it has none. */
    readonly landing: LandingWords | null,
  ) {
    const inOrder = entries.toSorted((one, other) => one.position - other.position);
    this.#chapters = inOrder.filter(({ kind }) => kind === "chapter");
    this.#extras = inOrder.filter(({ kind }) => kind === "extra");
    this.#bySlug = new Map(entries.map((entry) => [entry.slug, entry]));
  }

  /** The chapters that are published at `now`, in reading order. */
  chapters(now: Date): readonly EditionEntry[] {
    return this.#chapters.filter((entry) => isPublished(entry, now));
  }

  /** The extras that are published at `now`, in their order. */
  extras(now: Date): readonly EditionEntry[] {
    return this.#extras.filter((entry) => isPublished(entry, now));
  }

  /** The same, the newest first; those that have been there from the beginning come last, in their order. */
  newestExtras(now: Date): readonly EditionEntry[] {
    return this.extras(now).toSorted(newestFirst);
  }

  /** The published texts that everybody may read, chapters first. */
  publicTexts(now: Date): readonly EditionEntry[] {
    return [...this.chapters(now), ...this.extras(now)].filter(({ isPublic }) => isPublic);
  }

  /** How many minutes all published chapters take to read. */
  chapterMinutes(now: Date): number {
    return this.chapters(now).reduce((sum, { wordCount }) => sum + minutesToRead(wordCount), 0);
  }

  /** Every chapter and extra, also those that are not published yet, each kind in its order. */
  all(): readonly EditionEntry[] {
    return [...this.#chapters, ...this.#extras];
  }

  /** The chapter or extra with this slug; null if there is none, or not yet. */
  find(slug: string, now: Date): EditionEntry | null {
    const entry = this.#bySlug.get(slug);
    return entry && isPublished(entry, now) ? entry : null;
  }

  /** As `find`, with its neighbors of the same kind. */
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

  /** When the next chapter or extra after `now` is published; null if none is waiting. */
  nextPublication(now: Date): Date | null {
    const times = this.all().flatMap(({ publishAt }) =>
      publishAt !== null && publishAt > now ? [publishAt.getTime()] : [],
    );
    return times.length === 0 ? null : new Date(Math.min(...times));
  }
}

const timeOf = ({ publishAt }: EditionEntry) => publishAt?.getTime() ?? Number.NEGATIVE_INFINITY;

function newestFirst(one: EditionEntry, other: EditionEntry): number {
  const [time, otherTime] = [timeOf(one), timeOf(other)];
  return time === otherTime ? one.position - other.position : otherTime - time;
}

function isPublished({ publishAt }: EditionEntry, now: Date): boolean {
  return publishAt === null || publishAt <= now;
}
