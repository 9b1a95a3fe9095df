import { useNavigate } from "@remix-run/react";
import { useEffect } from "react";

/**
 * Makes the router follow plain same-page links, wherever they are. Followed by the browser, they change the
 * history without the router, which takes that for a back navigation; by then some browsers have already
 * scrolled away from the position it should store.
 */
export function useFragmentLinks(): void {
  const navigate = useNavigate();
  useEffect(() => {
    const follow = (event: MouseEvent) => {
      const otherwise = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
      if (event.defaultPrevented || event.button !== 0 || otherwise) return;
      const link = event.target instanceof Element ? event.target.closest("a") : null;
      if (!link?.hash || link.target || link.hasAttribute("download")) return;
      const { origin, pathname, search, hash, href } = link;
      const here = window.location;
      if (origin !== here.origin || pathname !== here.pathname || search !== here.search) return;
      event.preventDefault();
      navigate({ pathname, search, hash }, { replace: href === here.href });
    };
    // on the window, so that React's handlers run first
    window.addEventListener("click", follow);
    return () => window.removeEventListener("click", follow);
  }, [navigate]);
}
