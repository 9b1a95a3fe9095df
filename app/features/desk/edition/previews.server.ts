import { labelAbove } from "~/features/library/entry-label";
import { isPage, type SourceDocument } from "~/features/library/importer/read-source.server";
import { typographic } from "~/features/library/importer/render-document.server";
import { bareName } from "~/features/library/importer/text-slug";
import { documentPath, PREVIEW_MEDIA_PATH } from "~/features/library/library-paths";
import { type PreviewView, withAddresses } from "~/features/library/preview.server";
import type { Site, SiteImage } from "~/features/site/site";
import { SITE_FILE } from "~/features/site/site-file";
import type { FormProblem } from "~/http/form-refusal";
import { type BookFolder, checkTyped, type TypedCheck } from "./check-book.server";
import { openText } from "./edition-drafts.server";
import { DESK_MEDIA_PATH, previewPath } from "./edition-paths";

/** Shown in place of a preview: why there is none. */
type Unshown = { problems: FormProblem[] };

async function checkOpen(book: BookFolder, path: string): Promise<TypedCheck | null> {
  const text = await openText(book, path);
  return text && checkTyped(book, path, text.content);
}

/** Loads a text as its readers will see it, from its draft where there is one; null if there is no such text. */
export async function previewText(
  book: BookFolder,
  path: string,
): Promise<{ preview: PreviewView } | Unshown | null> {
  const check = await checkOpen(book, path);
  if (!check) return null;
  const { document, rendered, problems, source } = check;
  if (!document || !rendered) return { problems };
  const { slug, language, dir, summary } = document;
  const set = (line: string) => typographic(line, language);
  const number = numberOf(document, source.documents);
  const entry = {
    ...document,
    number,
    title: set(document.title),
    label: document.label && set(document.label),
  };
  const paths = new Map(
    source.documents.map((each) => [documentPath(each), previewPath(each.path)]),
  );
  return {
    preview: {
      ...{ slug, number, language, dir, summary: summary ?? "", title: entry.title },
      wordCount: rendered.wordCount,
      label: labelAbove(entry),
      html: withAddresses(rendered.html, { mediaPath: DESK_MEDIA_PATH, paths }),
      next: null,
    },
  };
}

/** Returns the number of a chapter, which counts only those without a label; null for other texts. */
function numberOf(text: SourceDocument, all: readonly SourceDocument[]): number | null {
  if (text.kind !== "chapter" || text.label !== null) return null;
  return all.filter(
    ({ kind, label, order }) => kind === "chapter" && label === null && order <= text.order,
  ).length;
}

/** Loads the site with one of its files as typed, and the page that the file is, if any; null if there is no such file. */
export async function previewSite(
  book: BookFolder,
  path: string,
): Promise<{ site: Site; page: { title: string; html: string } | null } | Unshown | null> {
  const check = await checkOpen(book, path);
  if (!check) return null;
  const { source, problems } = check;
  if (problems.length > 0) return { problems };
  if (!source.site) return { problems: [{ line: null, problem: `${SITE_FILE} has a mistake` }] };
  const site = withDeskPictures(source.site);
  const page = site.pages.find(({ slug }) => isPage(path) && slug === bareName(path)) ?? null;
  return {
    site,
    page: page && {
      ...page,
      html: page.html.replaceAll(` src="${PREVIEW_MEDIA_PATH}`, ` src="${DESK_MEDIA_PATH}`),
    },
  };
}

/** Returns a site whose pictures are those of the folder, which visitors do not see yet. */
function withDeskPictures(site: Site): Site {
  const inFolder = (image: SiteImage | null) => image && { ...image, folder: DESK_MEDIA_PATH };
  const { hero, author } = site.photos;
  return {
    ...site,
    cover: inFolder(site.cover),
    photos: { hero: inFolder(hero), author: inFolder(author) },
  };
}
