import {
  ScrollRestoration,
  useLocation,
  useNavigationType,
  useRevalidator,
} from "@remix-run/react";
import { useEffect, useRef } from "react";
import { useBrowserLayoutEffect } from "~/ui";

/**
 * Keeps the scroll position across reloads and history navigation: with Remix's `ScrollRestoration`, plus the
 * fixes below.
 */
export function ScrollPosition({ nonce }: { nonce: string | undefined }) {
  return (
    <>
      <ScrollRestoration nonce={nonce} />
      <ScrollScript nonce={nonce} />
      <OpenAtPlace />
      <KeepPosition />
    </>
  );
}

/** The key in session storage under which `ScrollRestoration` stores positions by history entry. */
const POSITIONS = "positions";

/**
 * Covers cases that the router does not.
 *
 * - Every history entry gets a key, also that of a fragment typed into the address bar, or of a link followed
 *   before hydration. The router treats all entries without a key as one location, "default". It would scroll to
 *   the position stored for another of them instead of to the fragment.
 * - The position is stored, where the router will look, as soon as scrolling ends. The router stores it only on
 *   `pagehide`: never if the browser discards the tab, and on a busy machine perhaps after the visitor's return.
 * - It is also stored after a pause in scrolling, since not every browser fires `scrollend` after every scroll;
 *   when the tab is hidden; and when a page is left for a fragment, even if it was never scrolled.
 * - A page may name the place at which it opens, in `data-opens-at`: the id of an element. A fragment or a stored
 *   position comes first.
 * - The browser does not restore a stored position. Chromium learns of scrolling up to a second late. If Firefox
 *   restores one too early, the router takes it for that of the entry being left. Until the router takes over,
 *   this script restores positions.
 */
const SCROLL_SCRIPT = `(() => {
  const read = () => {
    try {
      return JSON.parse(sessionStorage.getItem("${POSITIONS}")) ?? {};
    } catch {
      return {};
    }
  };
  const store = () => {
    try {
      const positions = { ...read(), [history.state.key]: scrollY };
      sessionStorage.setItem("${POSITIONS}", JSON.stringify(positions));
      history.scrollRestoration = "manual";
    } catch {}
  };
  if (history.state?.key in read()) history.scrollRestoration = "manual";
  else if (!location.hash) {
    const page = document.querySelector("[data-opens-at]");
    document.getElementById(page?.dataset.opensAt)?.scrollIntoView({ behavior: "instant" });
  }
  let pause;
  addEventListener("scroll", () => {
    clearTimeout(pause);
    pause = setTimeout(store, 100);
  });
  addEventListener("scrollend", store);
  addEventListener("visibilitychange", () => document.hidden && store());
  addEventListener("click", ({ target }) => target.closest("a[href*='#']") && store());
  addEventListener("popstate", () => {
    const { state } = history;
    if (!state?.key) {
      history.replaceState({ ...state, key: Math.random().toString(36).slice(2) }, "");
    } else if (document.documentElement.dataset.hydrated === undefined) {
      const top = read()[state.key];
      if (top !== undefined) return scrollTo({ top, behavior: "instant" });
      document.getElementById(location.hash.slice(1))?.scrollIntoView();
    } else history.scrollRestoration = "manual";
  });
})();`;

/** An inline script, so that it runs from the start. */
function ScrollScript({ nonce }: { nonce: string | undefined }) {
  return (
    <script
      nonce={nonce}
      suppressHydrationWarning
      // biome-ignore lint/security/noDangerouslySetInnerHtml: a constant of ours.
      dangerouslySetInnerHTML={{ __html: SCROLL_SCRIPT }}
    />
  );
}

/** Opens another page at the place that it names, as the script opens the first one. Must come after `ScrollRestoration`. */
function OpenAtPlace() {
  const { pathname, hash } = useLocation();
  const arrivedBy = useNavigationType();
  const shown = useRef(pathname);
  useBrowserLayoutEffect(() => {
    const isSame = shown.current === pathname;
    shown.current = pathname;
    if (isSame || hash !== "" || arrivedBy === "POP") return;
    const page = document.querySelector<HTMLElement>("[data-opens-at]");
    const place = document.getElementById(page?.dataset.opensAt ?? "");
    place?.scrollIntoView({ behavior: "instant" });
  }, [pathname, hash, arrivedBy]);
  return null;
}

/**
 * Keeps the scroll position when the page's data is revalidated. The router treats that as a navigation and scrolls to
 * the position at the time of the request. Must come after `ScrollRestoration`, to run last.
 */
function KeepPosition() {
  const { state } = useRevalidator();
  const { key } = useLocation();
  const before = useRef<{ key: string; top: number }>();

  useBrowserLayoutEffect(() => {
    const { current } = before;
    if (current?.key === key && state === "idle") scrollAtOnce(current.top);
    // runs before any effect of the next state
    return () => {
      before.current = { key, top: window.scrollY };
    };
  }, [state, key]);

  useEffect(() => {
    const onPageShow = ({ persisted }: PageTransitionEvent) => {
      if (!persisted) return;
      // on leaving the page the router set this to auto, and WebKit does not restore it
      window.history.scrollRestoration = "manual";
      const position = storedPosition();
      if (position !== undefined) scrollAtOnce(position);
    };
    // runs before the listeners that revalidate the data
    window.addEventListener("pageshow", onPageShow, { capture: true });
    return () => window.removeEventListener("pageshow", onPageShow, { capture: true });
  }, []);

  return null;
}

/** The scroll position when this history entry was left, in CSS pixels. */
function storedPosition(): number | undefined {
  try {
    const positions = JSON.parse(sessionStorage.getItem(POSITIONS) ?? "{}");
    return positions[window.history.state.key];
  } catch {
    return undefined;
  }
}

function scrollAtOnce(top: number) {
  window.scrollTo({ top, behavior: "instant" });
}
