import { useMatches } from "@remix-run/react";
import type { RouteHandle } from "~/http/route-handle";

/** Returns what surrounds the page that is shown, as its route's `handle` has it; undefined for the site's own frame. */
export function useShownFrame(): RouteHandle["frame"] {
  const handles = useMatches().map(({ handle }) => handle as RouteHandle | undefined);
  return handles.find((handle) => handle?.frame)?.frame;
}
