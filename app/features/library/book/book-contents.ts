import { createHash } from "node:crypto";
import type { Site } from "~/features/site/site";
import { type Edition, type EditionEntry, inParts } from "../edition";

/** What a book contains, the same for every member. */
export type BookContents = {
  /** The edition's digest. */
  edition: string;
  /** A URN, the same for all books of an edition. */
  identifier: string;
  /** When its newest text was imported or published. */
  modified: Date;
  /** The site's address. */
  siteUrl: string;
  chapters: readonly EditionEntry[];
  extras: readonly EditionEntry[];
  /** All texts, in their order. */
  sections: readonly BookSection[];
  site: Site;
};

/** The texts of a part, with the file of the page that begins it; texts outside of parts have none. */
export type BookSection = {
  begin: { file: string; title: string } | null;
  entries: readonly EditionEntry[];
};

/** Returns a book's contents at `now`, for an edition imported at `importedAt`. */
export function bookContents(
  edition: Edition,
  { now, importedAt, siteUrl }: { now: Date; importedAt: Date; siteUrl: string },
): BookContents {
  const chapters = edition.chapters(now);
  const extras = edition.extras(now);
  const times = [...chapters, ...extras].map(({ publishAt }) => publishAt?.getTime() ?? 0);
  const modified = times.reduce((latest, time) => Math.max(latest, time), importedAt.getTime());
  return {
    edition: edition.digest,
    identifier: identifierOf(edition.digest),
    modified: new Date(modified),
    siteUrl,
    chapters,
    extras,
    sections: [
      ...inParts(chapters).map(({ part, chapters: entries }, index) => ({
        begin: part === null ? null : { file: `part-${index + 1}.xhtml`, title: part },
        entries,
      })),
      ...(extras.length > 0
        ? [{ begin: { file: EXTRAS_FILE, title: "Extras" }, entries: extras }]
        : []),
    ],
    site: edition.site,
  };
}

/** Returns a version 8 UUID (RFC 9562), derived from the digest. */
function identifierOf(digest: string): string {
  const hex = createHash("sha256").update(digest).digest("hex");
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return `urn:uuid:${parts.join("-")}`;
}

/** Returns the file of a chapter or extra in the book. */
export const textFile = ({ kind, slug }: Pick<EditionEntry, "kind" | "slug">) =>
  `${kind}-${slug}.xhtml`;

export const COLOPHON_FILE = "colophon.xhtml";
export const EXTRAS_FILE = "extras.xhtml";
export const STYLE_FILE = "book.css";
export const COVER_FILE = "cover.jpg";
