import pTimeout from "p-timeout";
import { currentEdition } from "~/features/library/current-edition.server";
import type { Edition } from "~/features/library/edition";
import { previewPath } from "~/features/library/library-paths";
import { loadOpening } from "~/features/library/opening.server";
import { SAMPLE_OPENING } from "~/features/site/sample-site";
import type { Site } from "~/features/site/site";
import { log } from "~/observability/log.server";
import type { PreviewContent } from "./preview-section";

/** Maximum wait for chapter 1, in milliseconds, so a hanging database does not delay the landing page. */
const TIMEOUT_MS = 2_000;

/**
 * Loads the landing page's preview at `now`: the opening of the edition's chapter 1, and the first public chapter.
 * Without a readable chapter 1, the sample's site has its own opening and an author's has none. `isReadable` is false if chapter 1 could not be read
 * just now.
 */
export async function loadPreviewContent(
  { isSample }: Pick<Site, "isSample">,
  now: Date,
): Promise<{ preview: PreviewContent; isReadable: boolean }> {
  const edition = currentEdition();
  const opening = edition
    ? await pTimeout(loadOpening(edition, now), { milliseconds: TIMEOUT_MS }).catch(unreadable)
    : null;
  return {
    preview: {
      opening: opening || (isSample ? SAMPLE_OPENING : null),
      wholeChapter: edition && findWholeChapter(edition, now),
    },
    isReadable: opening !== false,
  };
}

function findWholeChapter(edition: Edition, now: Date): PreviewContent["wholeChapter"] {
  const chapter = edition.publicTexts(now).find(({ kind }) => kind === "chapter");
  if (!chapter) return null;
  const name = chapter.number === null ? `“${chapter.title}”` : `chapter ${chapter.number}`;
  return { name, path: previewPath(chapter.slug) };
}

function unreadable(error: unknown): false {
  log().error({ err: error }, "chapter 1 could not be read; the landing page has its own words");
  return false;
}
