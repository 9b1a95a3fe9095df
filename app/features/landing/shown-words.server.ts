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

/** Only the latest: there is one edition. */
let latest: { own: LandingWords | null; isCommunityOpen: boolean; words: ShownWords } | undefined;

/**
 * The words that ship, and in their place those of the edition's `landing.yml`, where it has any. That the community
 * opens later is said only until it is open. The same object for the same edition, so that what is made of the words
 * need not compare them.
 */
export function shownWords(
  own: LandingWords | null,
  { isCommunityOpen }: { isCommunityOpen: boolean },
): ShownWords {
  if (latest?.own !== own || latest.isCommunityOpen !== isCommunityOpen) {
    latest = { own, isCommunityOpen, words: wordsOf(own, isCommunityOpen) };
  }
  return latest.words;
}

function wordsOf(own: LandingWords | null, isCommunityOpen: boolean): ShownWords {
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
