import { findDocumentHtml } from "~db/queries/editions";
import type { Edition, EditionEntry } from "./edition";
import { documentPath, MEDIA_PATH, PREVIEW_MEDIA_PATH, previewPath } from "./library-paths";
import { TAGS } from "./stored-html";

/** A text that anyone may read. */
export type PreviewView = {
  slug: string;
  /** A chapter's number; null for an extra. */
  number: number | null;
  title: string;
  language: string;
  dir: EditionEntry["dir"];
  summary: string;
  wordCount: number;
  /** Sanitized. Its images are public. */
  html: string;
  /** The next chapter, if the viewer may read it. */
  next: { path: string; number: number; title: string } | null;
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
    number: entry.kind === "chapter" ? entry.position : null,
    title: entry.title,
    language: entry.language,
    dir: entry.dir,
    summary: entry.summary,
    wordCount: entry.wordCount,
    html: publicHtml(html, edition.publicTexts(now)),
    next:
      isMember && next?.kind === "chapter"
        ? { path: documentPath(next), number: next.position, title: next.title }
        : null,
  };
}

/** Returns a text's HTML with its images, and its links to public texts, at public addresses. */
function publicHtml(html: string, texts: readonly EditionEntry[]): string {
  const paths = new Map(texts.map((entry) => [documentPath(entry), previewPath(entry.slug)]));
  return html.replace(TAGS, (tag) => {
    if (tag.startsWith("<img ")) {
      return tag.replace(` src="${MEDIA_PATH}`, ` src="${PREVIEW_MEDIA_PATH}`);
    }
    if (!tag.startsWith("<a ")) return tag;
    return tag.replace(/ href="([^"]*)/, (attribute, path: string) => {
      if (path.startsWith(MEDIA_PATH)) {
        return ` href="${PREVIEW_MEDIA_PATH}${path.slice(MEDIA_PATH.length)}`;
      }
      const preview = paths.get(path);
      return preview ? ` href="${preview}` : attribute;
    });
  });
}
