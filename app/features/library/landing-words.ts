/** An image of the edition that anyone may see. */
export type LandingImage = {
  /** File name below `PREVIEW_MEDIA_PATH`. */
  name: string;
  mediaType: string;
  width: number;
  height: number;
  alt: string;
};

/** Replacements from `landing.yml` for the landing page. Whatever is absent stays as shipped. */
export type LandingWords = {
  /** What the book is about. */
  about?: string;
  /** Texts of the three cards; the specification fixes their titles. */
  features?: string[];
  /** Chapters 2 to 4. */
  chapters?: { title: string; text: string }[];
  biography?: { lead: string; paragraphs: string[] };
  reviews?: { name: string; role: string; rating: number; text: string }[];
  contact?: { publisher: string; street: string; city: string; email: string; phone: string };
  photos?: { hero?: LandingImage; author?: LandingImage };
  /** The picture in link previews. */
  share?: LandingImage;
};

/** Returns every image that the landing page or its link previews show. */
export function landingImages(words: LandingWords | null): LandingImage[] {
  const { photos, share } = words ?? {};
  return [photos?.hero, photos?.author, share].filter((image) => image !== undefined);
}
