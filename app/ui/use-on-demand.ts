import { useCallback, useRef, useState } from "react";

/**
 * Something fetched when it is first asked for: null until it has come, and a call that asks. A fetch that
 * failed is made again at the next call. `fetchIt` is read once.
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
