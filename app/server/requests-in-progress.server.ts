import { setImmediate } from "node:timers/promises";
import PQueue from "p-queue";
import { QueueFull } from "~/http/bounded-queue.server";
import type { ClientNetworks } from "~/http/client-network.server";

/** Most pages rendered at a time for one wide network; more would keep everybody else waiting. */
const MOST_IN_PROGRESS = 2;

/**
 * Turns of the event loop between two pages of one network. Node accepts one connection per turn, so a network that
 * opens hundreds would otherwise keep everybody else's waiting.
 */
const TURNS_BETWEEN = 8;

/** Most pages that wait for one network. */
const MOST_WAITING = 200;

const byNetwork = new Map<string, PQueue>();

/**
 * Runs a request in its network's turn, a few of each network at a time. Rejects with QueueFull when too many wait.
 */
export async function inNetworksTurn<Result>(
  { wide }: ClientNetworks,
  task: () => Promise<Result>,
): Promise<Result> {
  const queue = byNetwork.get(wide) ?? new PQueue({ concurrency: MOST_IN_PROGRESS });
  byNetwork.set(wide, queue);
  if (queue.size >= MOST_WAITING) throw new QueueFull();
  try {
    return await queue.add(async () => {
      const result = await task();
      for (let turn = 0; turn < TURNS_BETWEEN; turn++) await setImmediate();
      return result;
    });
  } finally {
    if (queue.size + queue.pending === 0) byNetwork.delete(wide);
  }
}
