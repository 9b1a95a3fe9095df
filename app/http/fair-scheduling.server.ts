import type { ClientNetworks } from "./client-network.server";
import { RoundRobin } from "./round-robin.server";

/**
 * Event-loop iterations between two tasks that only accept new connections. Node accepts one connection per
 * iteration (libuv's pull request 3696), so with a task in each one, a few hundred new connections a second
 * would fill the kernel's accept queue, and nobody else could connect.
 */
const MAX_ACCEPT_ITERATIONS = 100;

const waiting = new RoundRobin<() => void>();
let hasAccepted = false;
let acceptIterations = 0;

/**
 * Resolves when it is the caller's turn to run a CPU-bound task of a millisecond or more: one per event-loop
 * iteration, round-robin between networks. Under a flood, responses from memory are still sent in between,
 * and new connections are still accepted.
 */
export function fairTurn(network: ClientNetworks | undefined): Promise<void> {
  return new Promise((resolve) => {
    waiting.add(network, resolve);
    if (waiting.size === 1) setImmediate(startNext);
  });
}

/**
 * Registers that a connection was accepted in this iteration: more may be queued, and they go before the next
 * task.
 */
export function connectionAccepted(): void {
  hasAccepted = true;
}

function startNext(): void {
  if (hasAccepted && acceptIterations < MAX_ACCEPT_ITERATIONS) {
    acceptIterations += 1;
  } else {
    acceptIterations = 0;
    waiting.takeNext()?.();
  }
  hasAccepted = false;
  if (waiting.size > 0) setImmediate(startNext);
}
