import { useRevalidator } from "@remix-run/react";
import { startTransition, useEffect, useRef, useState } from "react";
import type { Viewer } from "./viewer";

/** The storage key under which a tab stores its viewer; a change fires a storage event in the other tabs. */
const STORAGE_KEY = "golden-path:auth";

/**
 * Retry delays of a page whose session could not be checked, in milliseconds after the last response. After that
 * it stays signed out until the next navigation, so that a database outage causes no endless polling.
 */
const CHECK_AGAIN_AFTER_MS = [0, 5_000];

/**
 * Reloads user and profile when another tab has signed in or out, or gained or lost a membership, when a page is
 * restored from the back/forward cache, and when the server could not check the session. True while that runs.
 */
export function useAuthChanges(viewer: Viewer | null, isKnown: boolean): boolean {
  const { revalidate, state } = useRevalidator();
  const [checks, setChecks] = useState(0);
  const shown = `${viewer?.user.id ?? ""} ${viewer?.isSubscribed ?? false}`;
  const current = useRef(shown);

  useEffect(() => {
    // An unknown viewer must not be announced to the other tabs.
    if (!isKnown) return;
    current.current = shown;
    try {
      // Fires 'storage' in the other tabs, only if the value changes.
      localStorage.setItem(STORAGE_KEY, shown);
    } catch {
      // Without storage, tabs notice changes only when restored from the back/forward cache.
    }
  }, [shown, isKnown]);

  useEffect(() => {
    if (isKnown) return setChecks(0);
    const delay = CHECK_AGAIN_AFTER_MS[checks];
    if (delay === undefined || state === "loading") return;
    const timer = setTimeout(() => {
      revalidate();
      // Batched with the router's state update, so that the check never appears finished in between.
      startTransition(() => setChecks(checks + 1));
    }, delay);
    return () => clearTimeout(timer);
  }, [isKnown, checks, state, revalidate]);

  useEffect(() => {
    const onStorage = (event: StorageEvent) => {
      if (event.key === STORAGE_KEY && event.newValue !== current.current) revalidate();
    };
    const onPageShow = (event: PageTransitionEvent) => {
      if (event.persisted) revalidate();
    };
    window.addEventListener("storage", onStorage);
    window.addEventListener("pageshow", onPageShow);
    return () => {
      window.removeEventListener("storage", onStorage);
      window.removeEventListener("pageshow", onPageShow);
    };
  }, [revalidate]);

  return state === "loading" || (!isKnown && checks < CHECK_AGAIN_AFTER_MS.length);
}
