import { useEffect } from "react";

/**
 * Marks the document (`data-alive`) once JavaScript runs all of the page: not when React has claimed its
 * elements, but when every effect has run. Called by the outermost component, whose effects come last.
 */
export function useAliveMark(): void {
  useEffect(() => {
    document.documentElement.dataset.alive = "";
  }, []);
}
