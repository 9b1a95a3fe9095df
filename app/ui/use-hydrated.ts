import { useSyncExternalStore } from "react";

const neverChanges = () => () => {};

/** Whether JavaScript runs the page by now: false on the server and in the first, hydrating render. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    neverChanges,
    () => true,
    () => false,
  );
}
