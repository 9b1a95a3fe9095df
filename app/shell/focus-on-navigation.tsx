import { useLocation, useNavigate, useNavigationType } from "@remix-run/react";
import { useEffect, useRef } from "react";
import { useAuth } from "~/features/accounts/auth-context";
import { followedLink, useBrowserLayoutEffect } from "~/ui";

/**
 * Manages focus and scrolling on client-side navigation. Focus moves to the section the URL names, or to the
 * new page's heading, so that a screen reader continues from there. Sections on the same page are scrolled to
 * smoothly; other pages open at their position at once. Must come before `ScrollPosition`.
 */
export function FocusOnNavigation() {
  const { user } = useAuth();
  const location = useLocation();
  const arrivedBy = useNavigationType();
  const previous = useRef(location);
  useFragmentLinks();

  useBrowserLayoutEffect(() => {
    const samePage = previous.current.pathname === location.pathname;
    const root = document.documentElement;
    if (!samePage) root.dataset.turned = "";
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    const withinPage = samePage && location.hash !== "" && arrivedBy !== "POP";
    root.style.scrollBehavior = withinPage && !still ? "smooth" : "auto";
    // Chromium's `scrollTo(0, 0)` does not update styles first, and would still scroll smoothly.
    void root.offsetHeight;
    const frame = requestAnimationFrame(() => {
      root.style.scrollBehavior = "";
    });
    return () => cancelAnimationFrame(frame);
  }, [location, arrivedBy]);

  useEffect(() => {
    const from = previous.current;
    previous.current = location;
    if (from === location) return;
    const target = location.hash
      ? document.getElementById(decodeFragment(location.hash))
      : from.pathname !== location.pathname
        ? (document.querySelector<HTMLElement>("#main h1") ?? document.getElementById("main"))
        : null;
    // The browser may have followed the fragment already, and the visitor pressed Tab since.
    if (!target || target.contains(document.activeElement)) return;
    focusWithoutScroll(target);
  }, [location]);

  const userId = user?.id;
  const previousUser = useRef(userId);
  useEffect(() => {
    if (previousUser.current === userId) return;
    previousUser.current = userId;
    // The focused account menu or sign-in links are gone from the header.
    const heading = document.querySelector<HTMLElement>("#main h1");
    if (heading && document.activeElement === document.body) focusWithoutScroll(heading);
  }, [userId]);

  return null;
}

function focusWithoutScroll(target: HTMLElement) {
  if (!target.matches("a[href], button, input, [tabindex]")) target.tabIndex = -1;
  target.focus({ preventScroll: true });
}

function decodeFragment(hash: string): string {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    return hash.slice(1);
  }
}

/**
 * Makes the router follow plain same-page links, wherever they are. Followed by the browser, they change the
 * history without the router, which takes that for a back navigation; by then some browsers have already
 * scrolled away from the position it should store.
 */
function useFragmentLinks(): void {
  const navigate = useNavigate();
  useEffect(() => {
    const follow = (event: MouseEvent) => {
      const link = followedLink(event);
      if (!link?.hash) return;
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
