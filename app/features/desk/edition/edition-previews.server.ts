import { labelAbove } from "~/features/library/entry-label";
import { typographic } from "~/features/library/importer/render-document.server";
import { bareName } from "~/features/library/importer/text-slug";
import { documentPath, PREVIEW_MEDIA_PATH } from "~/features/library/library-paths";
import { withAddresses } from "~/features/library/preview.server";
import type { Site, SiteImage } from "~/features/site/site";
import { colorStyles } from "~/features/site/site-colors";
import { SITE_FILE } from "~/features/site/site-file";
import { openText } from "./edition-drafts.server";
import { checkTyped, type EditionFolder } from "./edition-folder.server";
import { DESK_MEDIA_PATH, previewPath } from "./edition-paths";

type Check = Awaited<ReturnType<typeof checkTyped>>;

/**
 * Loads a file as readers will see it, from its draft where there is one: a text, or the site with the page that the file is, if any.
 * Returns only the mistakes where there are some; null if there is no such file.
 */
export async function loadPreviewOf(edition: EditionFolder, path: string) {
  const text = await openText(edition, path);
  if (!text) return null;
  const check = await checkTyped(edition, path, text.content);
  if (check.problems.length > 0) return { problems: check.problems };
  if (check.document) return { text: textIn(check) };
  if (!check.source.site)
    return { problems: [{ line: null, problem: `${SITE_FILE} has a mistake` }] };
  const site = withDeskPictures(check.source.site);
  return {
    site,
    page: site.pages.find(({ slug }) => path !== SITE_FILE && slug === bareName(path)),
  };
}

function textIn({ document, rendered, source: { documents } }: Check) {
  if (!document || !rendered) throw new Error("A text without mistakes was not rendered.");
  const { slug, kind, order, language, dir, extraKind } = document;
  const numbered = documents.filter((each) => each.kind === kind && each.label === null);
  const number = numbered.filter((each) => each.order <= order).length;
  const title = typographic(document.title, language);
  const label = document.label && typographic(document.label, language);
  const paths = new Map(documents.map((each) => [documentPath(each), previewPath(each.path)]));
  return {
    ...{ slug, number, title, language, dir, next: null },
    summary: document.summary ?? "",
    wordCount: rendered.wordCount,
    label: labelAbove({ extraKind, number, label, title }),
    html: withAddresses(rendered.html, { mediaPath: DESK_MEDIA_PATH, paths }),
  };
}

/** Returns a site with pictures of the folder, which visitors do not see yet. */
function withDeskPictures(site: Site): Site {
  const here = (image: SiteImage | null) => image && { ...image, folder: DESK_MEDIA_PATH };
  const { cover, photos, pages } = site;
  return {
    ...site,
    cover: here(cover),
    photos: { hero: here(photos.hero), author: here(photos.author) },
    pages: pages.map(({ html, ...page }) => ({
      ...page,
      html: html.replaceAll(` src="${PREVIEW_MEDIA_PATH}`, ` src="${DESK_MEDIA_PATH}`),
    })),
  };
}

/** Returns the style sheet of the colors in the draft of `site.yml`; an empty one for none. */
export async function previewedColors(edition: EditionFolder): Promise<string> {
  const shown = await loadPreviewOf(edition, SITE_FILE);
  return (shown?.site && colorStyles(shown.site.colors)) ?? "";
}
