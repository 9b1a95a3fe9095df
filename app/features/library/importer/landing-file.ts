import { z } from "zod";
import { oneLine } from "~/features/markdown/front-matter";
import type { FileProblem } from "~/features/markdown/yaml-fields";
import { SAMPLE_SITE } from "~/features/site/sample-site";
import type { Site, SiteImage, SitePage } from "~/features/site/site";
import {
  contact,
  type FindImage,
  parseWords,
  picture,
  resolvePictures,
  review,
  strict,
} from "~/features/site/site-file";

/** The file that replaces words and pictures of the sample's landing page, where there is no `site.yml`. */
export const LANDING_FILE = "landing.yml";

const list = <Item extends z.ZodType>(item: Item, count: number) =>
  z.array(item, `wanted a list of ${count}`).length(count, `wanted a list of ${count}`);

const schema = strict({
  /** What the book is about. */
  about: oneLine(400),
  /** Texts of the three cards, which keep the sample's titles. */
  features: list(oneLine(300), 3),
  /** Chapters 2 to 4. */
  chapters: list(strict({ title: oneLine(120), text: oneLine(300) }), 3),
  biography: strict({
    lead: oneLine(300),
    paragraphs: z
      .array(oneLine(800), "wanted a list of paragraphs")
      .min(1, "wanted a list of 1 to 4 paragraphs")
      .max(4, "wanted a list of 1 to 4 paragraphs"),
  }),
  reviews: list(review.required().extend({ text: oneLine(400) }), 3),
  contact,
  photos: strict({ hero: picture, author: picture }).partial(),
  /** The picture in link previews. */
  share: picture,
}).partial();

/** Replacements from `landing.yml` for the sample's words and pictures. Whatever is absent stays the sample's. */
export type LandingWords = Omit<z.infer<typeof schema>, "photos" | "share"> & {
  photos?: { hero?: SiteImage | undefined; author?: SiteImage | undefined };
  share?: SiteImage | undefined;
};

/**
 * Reads an edition's `landing.yml` and finds its pictures. Returns the sample's site with these words. Reports all
 * problems with their lines.
 */
export function readLandingFile(
  text: string,
  findImage: FindImage,
  pages: SitePage[],
): { site: Site } | { problems: FileProblem[] } {
  const parsed = parseWords(text, schema);
  if (parsed.kind === "rejected") return parsed;
  const { photos, share: shared, ...words } = parsed.fields;
  const pictures = resolvePictures({ ...photos, share: shared }, text, findImage);
  if ("problems" in pictures) return pictures;
  const { share, ...shown } = pictures.images;
  return { site: withLandingWords({ ...words, photos: shown, share }, pages) };
}

/** Returns the sample's site with the words and pictures of `landing.yml`, and the author's pages. */
export function withLandingWords(words: LandingWords, pages: SitePage[]): Site {
  const { about, features, chapters, biography, reviews, contact, photos, share } = words;
  const sample = SAMPLE_SITE;
  return {
    ...sample,
    about: about && sample.about ? { ...sample.about, text: about } : sample.about,
    features: sample.features.map(({ title, text }, index) => ({
      title,
      text: features?.[index] ?? text,
    })),
    previewChapters: chapters ?? sample.previewChapters,
    biography: biography ?? sample.biography,
    reviews: reviews ?? sample.reviews,
    contact: contact ?? sample.contact,
    publisher: contact?.publisher ?? sample.publisher,
    photos: { hero: photos?.hero ?? null, author: photos?.author ?? null },
    share: share ?? null,
    pages,
  };
}
