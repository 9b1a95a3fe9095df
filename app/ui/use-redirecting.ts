import { useEffect, useState } from "react";

/**
 * Whether the browser is on its way to another site. A page that comes back from the back/forward cache is
 * not, whatever it said when it was left.
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
