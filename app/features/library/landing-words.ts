import { SAMPLE_SITE } from "~/features/site/sample-site";
import type { Review, Site, SiteImage, SitePage } from "~/features/site/site";

/** Replacements from `landing.yml` for the sample's words and pictures. Whatever is absent stays the sample's. */
export type LandingWords = {
  /** What the book is about. */
  about?: string;
  /** Texts of the three cards, which keep the sample's titles. */
  features?: string[];
  /** Chapters 2 to 4. */
  chapters?: { title: string; text: string }[];
  biography?: { lead: string; paragraphs: string[] };
  reviews?: Review[];
  contact?: Required<Site["contact"]>;
  photos?: { hero?: SiteImage; author?: SiteImage };
  /** The picture in link previews. */
  share?: SiteImage;
};

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
    photos: { ...sample.photos, ...photos },
    share: share ?? null,
    pages,
  };
}
