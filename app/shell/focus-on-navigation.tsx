import { useLocation, useNavigationType } from "@remix-run/react";
import { useEffect, useRef } from "react";
import { useAuth } from "~/features/accounts/auth-context";
import { useBrowserLayoutEffect } from "~/ui/use-browser-layout-effect";
import { useFragmentLinks } from "./use-fragment-links";

/**
 * Makes a navigation without a page load feel like one. The focus moves to the section the address names, or
 * to the new page's heading, so that a screen reader reads on from there. Sections on the same page are
 * scrolled to smoothly, other pages open where they should be at once. Stands before `ScrollPosition`.
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
    // A browser that follows a fragment by itself is faster: somebody may have pressed Tab by now.
    if (!target || target.contains(document.activeElement)) return;
    focusWithoutScroll(target);
  }, [location]);

  const userId = user?.id;
  const previousUser = useRef(userId);
  useEffect(() => {
    if (previousUser.current === userId) return;
    previousUser.current = userId;
    // The account menu or the sign-in links have gone from the header, and the focus with them.
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
