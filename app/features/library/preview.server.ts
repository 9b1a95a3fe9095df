import { findDocumentHtml } from "~db/queries/editions";
import type { Edition, EditionEntry } from "./edition";
import { labelAbove } from "./entry-label";
import { documentPath, MEDIA_PATH, PREVIEW_MEDIA_PATH, previewPath } from "./library-paths";
import { TAGS } from "./stored-html";

/** A text that anyone may read. */
export type PreviewView = Pick<
  EditionEntry,
  "slug" | "number" | "title" | "language" | "dir" | "summary" | "wordCount"
> & {
  /** What is above its title, if anything. */
  label: string | null;
  /** Sanitized. Its images are public. */
  html: string;
  /** The next chapter, if the viewer may read it. */
  next: { path: string; label: string | null; title: string } | null;
};

/** Loads the text with this slug if it is public and published at `now`, or null. */
export async function loadPreview(
  edition: Edition,
  slug: string,
  { now, isMember }: { now: Date; isMember: boolean },
): Promise<PreviewView | null> {
  const place = edition.placeOf(slug, now);
  if (!place?.entry.isPublic) return null;
  const { entry, next } = place;
  const html = await findDocumentHtml(edition.digest, slug);
  if (html === null) return null;
  return {
    slug,
    label: labelAbove(entry),
    number: entry.number,
    title: entry.title,
    language: entry.language,
    dir: entry.dir,
    summary: entry.summary,
    wordCount: entry.wordCount,
    html: withAddresses(html, {
      mediaPath: PREVIEW_MEDIA_PATH,
      paths: new Map(
        edition.publicTexts(now).map((each) => [documentPath(each), previewPath(each.slug)]),
      ),
    }),
    next:
      isMember && next?.kind === "chapter"
        ? { path: documentPath(next), label: labelAbove(next), title: next.title }
        : null,
  };
}

/** Returns a text's HTML with its media, and its links to other texts by their path, at other addresses. */
export function withAddresses(
  html: string,
  { mediaPath, paths }: { mediaPath: string; paths: ReadonlyMap<string, string> },
): string {
  return html.replace(TAGS, (tag) => {
    if (tag.startsWith("<img ")) {
      return tag.replace(` src="${MEDIA_PATH}`, ` src="${mediaPath}`);
    }
    if (!tag.startsWith("<a ")) return tag;
    return tag.replace(/ href="([^"]*)/, (attribute, path: string) => {
      if (path.startsWith(MEDIA_PATH)) {
        return ` href="${mediaPath}${path.slice(MEDIA_PATH.length)}`;
      }
      const [page = "", block] = path.split("#");
      const preview = paths.get(page);
      return preview ? ` href="${preview}${block === undefined ? "" : `#${block}`}` : attribute;
    });
  });
}
