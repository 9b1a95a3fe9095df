/** An image of the edition that everybody may see. */
export type LandingImage = {
  /** Its name below `PREVIEW_MEDIA_PATH`. */
  name: string;
  mediaType: string;
  width: number;
  height: number;
  alt: string;
};

/** What `landing.yml` replaces of the landing page; whatever it leaves out is as it ships. */
export type LandingWords = {
  /** What the book is about. */
  about?: string;
  /** The texts of the three cards, whose titles the specification fixes. */
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

/** Every image that the landing page shows, or that link previews of it do. */
export function landingImages(words: LandingWords | null): LandingImage[] {
  const { photos, share } = words ?? {};
  return [photos?.hero, photos?.author, share].filter((image) => image !== undefined);
}
