import { useNavigate } from "@remix-run/react";
import { type RefObject, useEffect } from "react";

/**
 * Makes the router follow plain links to other pages of this site within an element, as it follows a `Link`. It is for
 * markup that no component renders. Links within the page are followed by `useFragmentLinks`.
 */
export function usePlainLinks(within: RefObject<HTMLElement | null>): void {
  const navigate = useNavigate();
  useEffect(() => {
    const element = within.current;
    const follow = (event: MouseEvent) => {
      const link = followedLink(event);
      if (!link) return;
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

/** The link that a click follows in this tab; null if it does anything else. */
export function followedLink(event: MouseEvent): HTMLAnchorElement | null {
  const otherwise = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  if (event.defaultPrevented || event.button !== 0 || otherwise) return null;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  return link?.target || link?.hasAttribute("download") ? null : link;
}
