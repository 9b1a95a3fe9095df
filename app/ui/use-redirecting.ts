import { useEffect, useState } from "react";

/**
 * Whether the browser is leaving for another site. Reset when the page returns from the back/forward cache.
 */
export function useRedirecting(): [boolean, (redirecting: boolean) => void] {
  const [redirecting, setRedirecting] = useState(false);
  useEffect(() => {
    const onPageShow = (event: PageTransitionEvent) => {
      if (event.persisted) setRedirecting(false);
    };
    window.addEventListener("pageshow", onPageShow);
    return () => window.removeEventListener("pageshow", onPageShow);
  }, []);
  return [redirecting, setRedirecting];
}
