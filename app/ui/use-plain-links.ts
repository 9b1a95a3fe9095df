import { useNavigate } from "@remix-run/react";
import { type RefObject, useEffect } from "react";

/**
 * Makes the router follow the plain links to other pages of this site within an element, as it follows a `Link`: those
 * of markup that no component renders. Links within the page are followed by `useFragmentLinks`.
 */
export function usePlainLinks(within: RefObject<HTMLElement | null>): void {
  const navigate = useNavigate();
  useEffect(() => {
    const element = within.current;
    const follow = (event: MouseEvent) => {
      const otherwise = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
      if (event.defaultPrevented || event.button !== 0 || otherwise) return;
      const link = event.target instanceof Element ? event.target.closest("a") : null;
      if (!link || link.target || link.hasAttribute("download")) return;
      const { origin, pathname, search, hash } = link;
      const here = window.location;
      if (origin !== here.origin || (pathname === here.pathname && search === here.search)) return;
      event.preventDefault();
      navigate({ pathname, search, hash });
    };
    element?.addEventListener("click", follow);
    return () => element?.removeEventListener("click", follow);
  }, [navigate, within]);
}
