import { useCallback, useRef, useState } from "react";

/**
 * Loads something on demand: returns null until it has loaded, and a function that loads it. A failed load is
 * retried on the next call. `fetchIt` is read once.
 */
export function useOnDemand<T>(fetchIt: () => Promise<T>): [T | null, () => void] {
  const [loaded, setLoaded] = useState<T | null>(null);
  const fetcher = useRef(fetchIt);
  const asked = useRef(false);
  const load = useCallback(() => {
    if (asked.current) return;
    asked.current = true;
    fetcher.current().then(
      (value) => setLoaded(() => value),
      () => {
        asked.current = false;
      },
    );
  }, []);
  return [loaded, load];
}
