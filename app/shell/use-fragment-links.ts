import { useNavigate } from "@remix-run/react";
import { useEffect } from "react";

/**
 * Has the router follow the plain links to a place on the page one is on, wherever they stand. Followed by
 * the browser, they change the history behind the router's back: it takes that for going back, and by then
 * some browsers have scrolled away from the position it should keep.
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
    // on the window, after what React's handlers have made of the click
    window.addEventListener("click", follow);
    return () => window.removeEventListener("click", follow);
  }, [navigate]);
}
