import type { ClientNetworks } from "~/http/client-network.server";

/** Pages rendered per second for rejected forms. */
const PAGES_PER_SECOND = 20;

/** How many of those one wide network may use. */
const PAGES_PER_NETWORK = 5;

let second = 0;
let rendered = 0;
const byNetwork = new Map<string, number>();

/**
 * Whether a page may be rendered for a rejected form; counts it if so. Forms are mostly rejected during a flood, and a
 * page for each would do the damage that the limits prevent. The response is plain text beyond a few pages per second,
 * in total and per network.
 */
export function mayRenderRejectedPage({ wide }: ClientNetworks): boolean {
  const now = Math.floor(Date.now() / 1_000);
  if (now !== second) {
    second = now;
    rendered = 0;
    byNetwork.clear();
  }
  const ofNetwork = byNetwork.get(wide) ?? 0;
  if (rendered >= PAGES_PER_SECOND || ofNetwork >= PAGES_PER_NETWORK) return false;
  rendered += 1;
  byNetwork.set(wide, ofNetwork + 1);
  return true;
}
