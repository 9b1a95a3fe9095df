import { createContext, useContext } from "react";
import type { LandingWords } from "~/features/library/landing-words";

/** Words and pictures of the landing page: the edition's own or those that ship. */
export type ShownWords = Required<Omit<LandingWords, "contact" | "share">> & {
  /** What the premium subscription includes. */
  benefits: { title: string; text: string }[];
};

/** Set only while the server renders the sections. The browser gets their markup, so no script contains their words. */
export const LandingWordsContext = createContext<ShownWords | null>(null);

/** Returns the landing page's words. Throws outside its sections, which is a programming error. */
export function useLandingWords(): ShownWords {
  const words = useContext(LandingWordsContext);
  if (!words) throw new Error("useLandingWords must be used within its sections.");
  return words;
}
