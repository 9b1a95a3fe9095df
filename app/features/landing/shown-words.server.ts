import type { LandingWords } from "~/features/library/landing-words";
import {
  aboutTheBook,
  biography,
  COMMUNITY_LATER,
  featureTexts,
  nextChapters,
  premiumBenefits,
} from "./copy";
import type { ShownWords } from "./landing-words-context";
import { reviews } from "./reviews";

/**
 * Returns the words that ship, replaced by those of the edition's `landing.yml`, if any. They say that the community
 * opens later only until it is open.
 */
export function shownWords(
  own: LandingWords | null,
  { isCommunityOpen }: { isCommunityOpen: boolean },
): ShownWords {
  return {
    about: own?.about ?? aboutTheBook,
    features: own?.features ?? [...featureTexts],
    chapters: own?.chapters ?? nextChapters.map(({ title, text }) => ({ title, text })),
    biography: own?.biography ?? { ...biography, paragraphs: [...biography.paragraphs] },
    reviews: own?.reviews ?? [...reviews],
    photos: own?.photos ?? {},
    benefits: premiumBenefits.map(({ title, text }) => ({
      title,
      text: isCommunityOpen ? text.replace(COMMUNITY_LATER, "") : text,
    })),
  };
}
