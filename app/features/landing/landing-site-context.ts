import { createContext, useContext } from "react";
import type { Site } from "~/features/site/site";

/** Set only while the server renders the sections. The browser gets their markup, so no script contains their words. */
export const LandingSiteContext = createContext<Site | null>(null);

/** Returns the site in the landing page's sections. Throws outside them, which is a programming error. */
export function useLandingSite(): Site {
  const site = useContext(LandingSiteContext);
  if (!site) throw new Error("useLandingSite must be used within its sections.");
  return site;
}
