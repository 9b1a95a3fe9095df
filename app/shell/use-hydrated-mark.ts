import { useEffect } from "react";

/**
 * Sets `data-hydrated` on the document once the whole page is interactive: not when React has hydrated its
 * elements, but when every effect has run. Call it in the outermost component, whose effects run last.
 */
export function useHydratedMark(): void {
  useEffect(() => {
    document.documentElement.dataset.hydrated = "";
  }, []);
}
