import type { ClientNetworks } from "./client-network.server";
import { RoundRobin } from "./round-robin.server";

/**
 * Rounds in which only new connections are taken in, between two pieces of work. Node accepts one in each
 * round of its event loop (libuv's pull request 3696), so with a piece of work in every round a few hundred new
 * connections a second would fill the system's queue of them, and nobody else could connect any more.
 */
const MAX_CONNECTION_ROUNDS = 100;

const waiting = new RoundRobin<() => void>();
let hasAccepted = false;
let roundsForConnections = 0;

/**
 * Resolves when it is the caller's turn to do a piece of work that takes the processor for a millisecond or
 * more: one in each round of the event loop, from the networks in turn. When a crowd comes at once, what is
 * answered from memory is still answered in between, and new connections are still taken in.
 */
export function fairTurn(network: ClientNetworks | undefined): Promise<void> {
  return new Promise((begin) => {
    waiting.add(network, begin);
    if (waiting.size === 1) setImmediate(beginNext);
  });
}

/** Notes that a connection was accepted in this round: more may be waiting, and go before the next work. */
export function connectionAccepted(): void {
  hasAccepted = true;
}

function beginNext(): void {
  if (hasAccepted && roundsForConnections < MAX_CONNECTION_ROUNDS) {
    roundsForConnections += 1;
  } else {
    roundsForConnections = 0;
    waiting.takeNext()?.();
  }
  hasAccepted = false;
  if (waiting.size > 0) setImmediate(beginNext);
}
