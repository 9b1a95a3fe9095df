import { useSyncExternalStore } from "react";

const neverChanges = () => () => {};

/** Whether the page is hydrated: false on the server and in the first, hydrating render. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    neverChanges,
    () => true,
    () => false,
  );
}
