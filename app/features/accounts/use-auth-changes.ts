import { useRevalidator } from "@remix-run/react";
import { useEffect, useRef } from "react";
import type { Viewer } from "./viewer";

/** Where each tab notes whom it shows, so that the browser tells the others when that changes. */
const STORAGE_KEY = "golden-path:auth";

/**
 * Loads user and profile again when another tab signed in or out, upgraded or lost its membership, and
 * when the browser brings a page back from its back/forward cache. True while that runs.
 */
export function useAuthChanges(viewer: Viewer | null): boolean {
  const { revalidate, state } = useRevalidator();
  const shown = `${viewer?.user.id ?? ""} ${viewer?.isSubscribed ?? false}`;
  const current = useRef(shown);

  useEffect(() => {
    current.current = shown;
    try {
      // fires 'storage' in the other tabs, and only if the value is a new one
      localStorage.setItem(STORAGE_KEY, shown);
    } catch {
      // a browser that keeps nothing has its tabs look on returning only
    }
  }, [shown]);

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

  return state === "loading";
}
