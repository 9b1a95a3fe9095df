import type { ClientNetworks } from "~/http/client-network.server";
import { countClosedConnection } from "~/observability/metrics.server";
import { logSecurityEvent } from "~/observability/security-log.server";

/** How often closed connections are logged at most, in milliseconds. */
const LOG_INTERVAL_MS = 60_000;

/** How long they are collected before the first line, in milliseconds. */
const COLLECT_MS = 1_000;

/**
 * Counts connections that were closed to make room for others, and logs at most once a minute how many there
 * were and which wide network lost the most.
 */
export function closedConnectionsReport(): (networks: ClientNetworks) => void {
  const closed = new Map<string, number>();
  let loggedAt = Number.NEGATIVE_INFINITY;
  let isScheduled = false;

  function logClosed() {
    const [network] = [...closed].reduce((most, one) => (one[1] > most[1] ? one : most));
    const connections = [...closed.values()].reduce((sum, count) => sum + count, 0);
    logSecurityEvent(
      "connections-closed",
      { network, connections, networks: closed.size },
      "all connections were in use: those of the largest networks were closed to make room",
    );
    closed.clear();
    loggedAt = Date.now();
    isScheduled = false;
  }

  return ({ wide }) => {
    countClosedConnection();
    closed.set(wide, (closed.get(wide) ?? 0) + 1);
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(logClosed, Math.max(COLLECT_MS, loggedAt + LOG_INTERVAL_MS - Date.now())).unref();
  };
}
