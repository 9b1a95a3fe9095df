import { useRevalidator } from "@remix-run/react";
import { startTransition, useEffect, useRef, useState } from "react";
import type { Viewer } from "./viewer";

/** Where each tab notes whom it shows, so that the browser tells the others when that changes. */
const STORAGE_KEY = "golden-path:auth";

/**
 * When a page whose session could not be checked asks the server again, in milliseconds after the last
 * answer. Then it stays signed out until somebody goes on: a database that is away gets no endless questions.
 */
const CHECK_AGAIN_AFTER_MS = [0, 5_000];

/**
 * Loads user and profile again when another tab signed in or out, upgraded or lost its membership, when the
 * browser brings a page back from its back/forward cache, and when the server could not check the session.
 * True while that runs.
 */
export function useAuthChanges(viewer: Viewer | null, isKnown: boolean): boolean {
  const { revalidate, state } = useRevalidator();
  const [checks, setChecks] = useState(0);
  const shown = `${viewer?.user.id ?? ""} ${viewer?.isSubscribed ?? false}`;
  const current = useRef(shown);

  useEffect(() => {
    // whom this page could not tell is nothing to tell the others
    if (!isKnown) return;
    current.current = shown;
    try {
      // fires 'storage' in the other tabs, and only if the value is a new one
      localStorage.setItem(STORAGE_KEY, shown);
    } catch {
      // a browser that keeps nothing has its tabs look on returning only
    }
  }, [shown, isKnown]);

  useEffect(() => {
    if (isKnown) return setChecks(0);
    const delay = CHECK_AGAIN_AFTER_MS[checks];
    if (delay === undefined || state === "loading") return;
    const timer = setTimeout(() => {
      revalidate();
      // in one step with the router's own, so that it never looks as if the last check were over
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
