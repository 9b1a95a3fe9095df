import { createContext, useContext } from "react";
import type { LandingWords } from "~/features/library/landing-words";

/** The words and pictures that the landing page shows, each the edition's own or the one that ships. */
export type ShownWords = Required<Omit<LandingWords, "contact" | "share">> & {
  /** What the premium subscription includes. */
  benefits: { title: string; text: string }[];
};

/** They come with the page's data and not with its scripts, whose words every visitor would load twice. */
export const LandingWordsContext = createContext<ShownWords | null>(null);

/** The words that the landing page shows. Throws outside the landing page, which is a programming error. */
export function useLandingWords(): ShownWords {
  const words = useContext(LandingWordsContext);
  if (!words) throw new Error("useLandingWords must be used within the landing page.");
  return words;
}
