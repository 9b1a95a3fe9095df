import { ScrollRestoration, useLocation, useRevalidator } from "@remix-run/react";
import { useContext, useEffect, useRef } from "react";
import { useBrowserLayoutEffect } from "~/ui/use-browser-layout-effect";
import { InlineScriptsContext } from "./hydration/inline-scripts-context";

/**
 * Keeps the scroll position across reloads and history navigation: with Remix's `ScrollRestoration`, plus the
 * fixes below.
 */
export function ScrollPosition({ nonce }: { nonce: string | undefined }) {
  return (
    <>
      <ScrollRestoration nonce={nonce} />
      <ScrollScript nonce={nonce} />
      <KeepPosition />
    </>
  );
}

/** The key in session storage under which `ScrollRestoration` stores positions by history entry. */
export const POSITIONS = "positions";

/** An inline script, so that it runs from the start. */
function ScrollScript({ nonce }: { nonce: string | undefined }) {
  const { scrollPosition = "" } = useContext(InlineScriptsContext) ?? {};
  return (
    <script
      nonce={nonce}
      suppressHydrationWarning
      // biome-ignore lint/security/noDangerouslySetInnerHtml: a constant of ours.
      dangerouslySetInnerHTML={{ __html: scrollPosition }}
    />
  );
}

/**
 * Keeps the scroll position when the page's data is revalidated: the router treats that as a navigation and
 * scrolls to where the page was when the request was sent. Must come after `ScrollRestoration`, to run last.
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
