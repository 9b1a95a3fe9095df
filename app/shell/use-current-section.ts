import { useLocation } from "@remix-run/react";
import { useEffect, useState } from "react";

/**
 * The id of the section being read: the one that crosses a line a third of the way down the window. Null
 * between the given sections and on pages without them. `ids` must be referentially stable.
 */
export function useCurrentSection(ids: readonly string[]): string | null {
  const { pathname } = useLocation();
  const [current, setCurrent] = useState<string | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has other sections under the same ids.
  useEffect(() => {
    const reading = new Set<string>();
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (isIntersecting) reading.add(target.id);
          else reading.delete(target.id);
        }
        setCurrent(ids.findLast((id) => reading.has(id)) ?? null);
      },
      { rootMargin: "-33% 0px -66% 0px" },
    );
    for (const id of ids) {
      const section = document.getElementById(id);
      if (section) observer.observe(section);
    }
    return () => {
      observer.disconnect();
      setCurrent(null);
    };
  }, [ids, pathname]);

  return current;
}
