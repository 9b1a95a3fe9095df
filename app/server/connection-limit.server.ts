import type { Server } from "node:http";
import { clientNetworks } from "~/http/client-network.server";
import { closedConnections } from "~/observability/metrics.server";
import { logSecurityEvent } from "~/observability/security-log.server";

/** Most open connections of one narrow and of one wide network (`ClientNetworks`). */
const MOST = { narrow: 200, wide: 400 };

/** How often closed connections are logged at most, in milliseconds. */
const LOG_INTERVAL_MS = 60_000;

/**
 * Closes connections of a network that has too many, as soon as they are accepted. Not for a site behind a proxy, where
 * all visitors share the proxy's connections: `docs/deploying.md` says how the proxy limits them.
 */
export function limitConnections(server: Server): void {
  const open = new Map<string, number>();
  let loggedAt = Number.NEGATIVE_INFINITY;
  server.on("connection", (socket) => {
    const { narrow, wide } = clientNetworks(socket.remoteAddress);
    const most = { [wide]: MOST.wide, [narrow]: MOST.narrow };
    const isSurplus = Object.entries(most).some(([key, limit]) => (open.get(key) ?? 0) >= limit);
    if (isSurplus) {
      socket.destroy();
      closedConnections.inc();
      if (performance.now() - loggedAt < LOG_INTERVAL_MS) return;
      loggedAt = performance.now();
      logSecurityEvent(
        "connections-closed",
        { network: wide },
        "a network has too many connections",
      );
      return;
    }
    for (const key of Object.keys(most)) open.set(key, (open.get(key) ?? 0) + 1);
    socket.once("close", () => {
      for (const key of Object.keys(most)) {
        const left = (open.get(key) ?? 1) - 1;
        if (left > 0) open.set(key, left);
        else open.delete(key);
      }
    });
  });
}
