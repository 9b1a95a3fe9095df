import { createContext, useContext } from "react";
import type { LandingWords } from "~/features/library/landing-words";

/** The words and pictures that the landing page shows, each the edition's own or the one that ships. */
export type ShownWords = Required<Omit<LandingWords, "contact" | "share">> & {
  /** What the premium subscription includes. */
  benefits: { title: string; text: string }[];
};

/** Only set while the server renders the sections: the browser gets their markup, and no script holds their words. */
export const LandingWordsContext = createContext<ShownWords | null>(null);

/** The words that the landing page shows. Throws outside its sections, which is a programming error. */
export function useLandingWords(): ShownWords {
  const words = useContext(LandingWordsContext);
  if (!words) throw new Error("useLandingWords must be used within its sections.");
  return words;
}
