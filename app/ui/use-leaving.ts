import { useEffect, useState } from "react";

/**
 * Whether the browser is on its way to another site. A page that comes back from the back/forward cache is
 * not, whatever it said when it was left.
 */
export function useLeaving(): [boolean, (leaving: boolean) => void] {
  const [leaving, setLeaving] = useState(false);
  useEffect(() => {
    const onPageShow = (event: PageTransitionEvent) => {
      if (event.persisted) setLeaving(false);
    };
    window.addEventListener("pageshow", onPageShow);
    return () => window.removeEventListener("pageshow", onPageShow);
  }, []);
  return [leaving, setLeaving];
}
