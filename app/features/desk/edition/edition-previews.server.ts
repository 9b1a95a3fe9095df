import { labelAbove } from "~/features/library/entry-label";
import type { EditionSource, SourceDocument } from "~/features/library/importer/read-source.server";
import { typographic } from "~/features/library/importer/render-document.server";
import { bareName } from "~/features/library/importer/text-slug";
import { documentPath, PREVIEW_MEDIA_PATH } from "~/features/library/library-paths";
import { withAddresses } from "~/features/library/preview.server";
import type { SiteImage } from "~/features/site/site";
import { colorStyles } from "~/features/site/site-colors";
import { SITE_FILE } from "~/features/site/site-file";
import { openText } from "./edition-drafts.server";
import { checkTyped, type EditionFolder } from "./edition-folder.server";
import { DESK_MEDIA_PATH, previewPath } from "./edition-paths";

/** Returns a picture as of the folder, which visitors do not see yet. */
const fromFolder = (image: SiteImage | null) => image && { ...image, folder: DESK_MEDIA_PATH };

/**
 * Loads a file as readers will see it, from its draft where there is one: a text, or the site with the page that the file is, if any.
 * Returns only the mistakes where there are some; null if there is no such file.
 */
export async function loadPreviewOf(edition: EditionFolder, path: string) {
  const text = await openText(edition, path);
  if (!text) return null;
  const { problems, document, html, source } = await checkTyped(edition, path, text.content);
  if (problems.length > 0) return { problems };
  if (document && html !== null) return { text: textIn(document, html, source) };
  const { site } = source;
  if (!site) return { problems: [{ line: null, problem: `${SITE_FILE} has a mistake` }] };
  const page = site.pages.find(({ slug }) => path !== SITE_FILE && slug === bareName(path));
  return {
    site: {
      ...site,
      cover: fromFolder(site.cover),
      photos: { hero: fromFolder(site.photos.hero), author: fromFolder(site.photos.author) },
    },
    page: page && { ...page, html: page.html.replaceAll(PREVIEW_MEDIA_PATH, DESK_MEDIA_PATH) },
  };
}

function textIn(document: SourceDocument, html: string, { documents }: EditionSource) {
  const { kind, order, language } = document;
  const numbered = documents.filter((each) => each.kind === kind && each.label === null);
  const text = {
    ...document,
    number: numbered.filter((each) => each.order <= order).length,
    title: typographic(document.title, language),
    label: document.label && typographic(document.label, language),
  };
  const paths = new Map(documents.map((each) => [documentPath(each), previewPath(each.path)]));
  return {
    ...text,
    next: null,
    label: labelAbove(text),
    html: withAddresses(html, { mediaPath: DESK_MEDIA_PATH, paths }),
  };
}

/** Returns the style sheet of the colors in the draft of `site.yml`; an empty one for none. */
export async function previewedColors(edition: EditionFolder): Promise<string> {
  const shown = await loadPreviewOf(edition, SITE_FILE);
  return (shown?.site && colorStyles(shown.site.colors)) ?? "";
}
