import PQueue from "p-queue";
import { QueueFull } from "~/http/bounded-queue.server";
import type { ClientNetworks } from "~/http/client-network.server";

/** Pages that are rendered at one time for one (wide) network: more would keep everybody else waiting. */
const MOST_IN_PROGRESS = 12;

/** Pages that may wait for one network. */
const MOST_WAITING = 200;

const byNetwork = new Map<string, PQueue>();

/**
 * Runs a request in its network's turn: a few of each network at a time, wherever their connections come from. Rejects
 * with QueueFull when too many of them wait.
 */
export async function inNetworksTurn<Result>(
  { wide }: ClientNetworks,
  task: () => Promise<Result>,
): Promise<Result> {
  const queue = byNetwork.get(wide) ?? new PQueue({ concurrency: MOST_IN_PROGRESS });
  byNetwork.set(wide, queue);
  if (queue.size >= MOST_WAITING) throw new QueueFull();
  try {
    return await queue.add(task);
  } finally {
    if (queue.size + queue.pending === 0) byNetwork.delete(wide);
  }
}
