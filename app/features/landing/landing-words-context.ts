import { createContext, useContext } from "react";
import type { LandingWords } from "~/features/library/landing-words";

/** The edition's own words for the landing page; empty where what ships stands. */
export const LandingWordsContext = createContext<LandingWords>({});

/** The edition's own words for the landing page. */
export const useLandingWords = () => useContext(LandingWordsContext);
