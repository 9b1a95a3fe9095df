import type { LandingWords } from "~/features/library/landing-words";
import { aboutTheBook, biography, featureTexts, nextChapters } from "./copy";
import type { ShownWords } from "./landing-words-context";
import { reviews } from "./reviews";

/** The words that ship, and in their place those of the edition's `landing.yml`, where it has any. */
export function shownWords(own: LandingWords | null): ShownWords {
  return {
    about: own?.about ?? aboutTheBook,
    features: own?.features ?? [...featureTexts],
    chapters: own?.chapters ?? nextChapters.map(({ title, text }) => ({ title, text })),
    biography: own?.biography ?? { ...biography, paragraphs: [...biography.paragraphs] },
    reviews: own?.reviews ?? [...reviews],
  };
}
