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
 * The words that ship, and in their place those of the edition's `landing.yml`, where it has any. That the community
 * opens later is said only until it is open.
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
