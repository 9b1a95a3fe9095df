import { useEffect } from "react";

/**
 * Marks the document (`data-hydrated`) once JavaScript runs all of the page: not when React has claimed its
 * elements, but when every effect has run. Called by the outermost component, whose effects come last.
 */
export function useHydratedMark(): void {
  useEffect(() => {
    document.documentElement.dataset.hydrated = "";
  }, []);
}
