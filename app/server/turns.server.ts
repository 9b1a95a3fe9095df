import type { ClientNetworks } from "./client-network.server";
import { RoundRobin } from "./round-robin.server";

const waiting = new RoundRobin<() => void>();

/**
 * Resolves when it is the caller's turn to begin its work: one in each round of the event loop, from the
 * networks in turn. When a crowd comes at once, what is answered from memory is still answered in between,
 * after a millisecond or two instead of after the whole crowd.
 */
export function turn(network: ClientNetworks | undefined): Promise<void> {
  return new Promise((begin) => {
    waiting.add(network, begin);
    if (waiting.size === 1) setImmediate(beginNext);
  });
}

function beginNext(): void {
  waiting.takeNext()?.();
  if (waiting.size > 0) setImmediate(beginNext);
}
