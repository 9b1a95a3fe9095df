import { ScrollRestoration, useLocation, useRevalidator } from "@remix-run/react";
import { useEffect, useRef } from "react";
import { useBrowserLayoutEffect } from "~/ui/use-browser-layout-effect";

/**
 * Where somebody is on a page, kept over reloads and steps in the history: by Remix's `ScrollRestoration`, and
 * by what it needs beside it.
 */
export function ScrollPosition({ nonce }: { nonce: string | undefined }) {
  return (
    <>
      <ScrollRestoration nonce={nonce} />
      <HistoryEntries nonce={nonce} />
      <Stay />
    </>
  );
}

/** Where `ScrollRestoration` keeps its positions in the session's storage, by the entries' keys. */
const POSITIONS = "positions";

/**
 * What is needed for entries in the history that the router has not made itself: those of a fragment typed
 * into the address bar, or of a link followed before the page comes alive. Runs from the start.
 *
 * - Every entry gets a key. The router calls all that have none "default" and takes them for one place it has
 *   been to: it scrolls to where somebody was on another of them, and not to the fragment.
 * - The position at which a page is left for a fragment before the router can note it is kept where it will look.
 */
function HistoryEntries({ nonce }: { nonce: string | undefined }) {
  return (
    <script
      nonce={nonce}
      suppressHydrationWarning
      // biome-ignore lint/security/noDangerouslySetInnerHtml: a constant of ours.
      dangerouslySetInnerHTML={{ __html: SCRIPT }}
    />
  );
}

const SCRIPT = `(() => {
  addEventListener("popstate", () => {
    const { state } = history;
    if (state?.key) return;
    history.replaceState({ ...state, key: Math.random().toString(36).slice(2) }, "");
  });
  addEventListener("click", ({ target }) => {
    const alive = document.documentElement.dataset.hydrated !== undefined;
    if (alive || !target.closest("a[href*='#']")) return;
    try {
      const positions = JSON.parse(sessionStorage.getItem("${POSITIONS}")) ?? {};
      positions[history.state.key] = scrollY;
      sessionStorage.setItem("${POSITIONS}", JSON.stringify(positions));
    } catch {}
  });
})();`;

/**
 * Leaves the page where it is when its data is asked for anew: the router takes the answer for a navigation
 * and scrolls to where the page was when it asked. Stands after `ScrollRestoration`, to have the last word.
 */
function Stay() {
  const { state } = useRevalidator();
  const { key } = useLocation();
  const before = useRef<{ key: string; top: number }>();

  useBrowserLayoutEffect(() => {
    const { current } = before;
    if (current?.key === key && state === "idle") scrollAtOnce(current.top);
    // runs before any effect that comes with the next state
    return () => {
      before.current = { key, top: window.scrollY };
    };
  }, [state, key]);

  useEffect(() => {
    const onPageShow = ({ persisted }: PageTransitionEvent) => {
      if (!persisted) return;
      // the router left it to the browser when it was left, and WebKit does not do it
      window.history.scrollRestoration = "manual";
      const position = notedPosition();
      if (position !== undefined) scrollAtOnce(position);
    };
    // before the listeners of whoever asks for the data anew
    window.addEventListener("pageshow", onPageShow, { capture: true });
    return () => window.removeEventListener("pageshow", onPageShow, { capture: true });
  }, []);

  return null;
}

/** Where the page was when this entry in the history was left, in CSS pixels. */
function notedPosition(): number | undefined {
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
