import type { ClientNetworks } from "~/http/client-network.server";
import { countClosedConnection } from "~/observability/metrics.server";
import { logSecurityEvent } from "~/observability/security-log.server";

/** How often the log tells of closed connections at most, in milliseconds. */
const EVERY_MS = 60_000;

/** How long they are gathered before the first line, in milliseconds. */
const GATHER_MS = 1_000;

/**
 * Counts connections that were closed to make room for others. The security log tells at most once a
 * minute how many and which wide network lost most of them.
 */
export function closedConnectionsReport(): (networks: ClientNetworks) => void {
  const closed = new Map<string, number>();
  let toldAt = Number.NEGATIVE_INFINITY;
  let isTimed = false;

  function tell() {
    const [network] = [...closed].reduce((most, one) => (one[1] > most[1] ? one : most));
    const connections = [...closed.values()].reduce((sum, count) => sum + count, 0);
    logSecurityEvent(
      "connections-closed",
      { network, connections, networks: closed.size },
      "all connections were in use: those of the largest networks were closed to make room",
    );
    closed.clear();
    toldAt = Date.now();
    isTimed = false;
  }

  return ({ wide }) => {
    countClosedConnection();
    closed.set(wide, (closed.get(wide) ?? 0) + 1);
    if (isTimed) return;
    isTimed = true;
    setTimeout(tell, Math.max(GATHER_MS, toldAt + EVERY_MS - Date.now())).unref();
  };
}
