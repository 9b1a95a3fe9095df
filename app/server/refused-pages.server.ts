import type { ClientNetworks } from "~/http/client-network.server";

/** Pages rendered a second for forms that are turned away. */
const IN_ALL = 20;

/** As many of them as one wide network may have. */
const OF_NETWORK = 5;

let second = 0;
let rendered = 0;
const byNetwork = new Map<string, number>();

/**
 * Whether a form that is turned away may have its page rendered for it, which counts it. It is floods that
 * are turned away, and a page for each of their requests would be the harm they came to do: beyond a few a
 * second the words alone are sent, to each network on its own account.
 */
export function mayRenderRefusedPage({ wide }: ClientNetworks): boolean {
  const now = Math.floor(Date.now() / 1_000);
  if (now !== second) {
    second = now;
    rendered = 0;
    byNetwork.clear();
  }
  const ofNetwork = byNetwork.get(wide) ?? 0;
  if (rendered >= IN_ALL || ofNetwork >= OF_NETWORK) return false;
  rendered += 1;
  byNetwork.set(wide, ofNetwork + 1);
  return true;
}
