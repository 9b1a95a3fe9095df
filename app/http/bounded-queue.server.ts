import PQueue from "p-queue";
import type { ClientNetworks } from "./client-network.server";

/** Thrown when a queue has no room for a task, which was not started. */
export class QueueFull extends Error {
  override name = "QueueFull";
}

type Limits = {
  /** Tasks that run at one time. */
  concurrency: number;
  /** Tasks in the queue, running or waiting; one network may have half of them. */
  maxTasks: number;
};

/** Runs a limited number of tasks at a time and lets a limited number wait, first in, first out. */
export class BoundedQueue {
  readonly #queue: PQueue;
  readonly #maxTasks: number;
  /** Tasks by wide network. */
  readonly #tasks = new Map<string, number>();

  constructor({ concurrency, maxTasks }: Limits) {
    this.#queue = new PQueue({ concurrency });
    this.#maxTasks = maxTasks;
  }

  /** Tasks in the queue, running or waiting. */
  get length(): number {
    return this.#queue.size + this.#queue.pending;
  }

  /** Whether `run` would accept a task of this network now. */
  hasRoomFor({ wide }: ClientNetworks): boolean {
    return this.length < this.#maxTasks && (this.#tasks.get(wide) ?? 0) < this.#maxTasks / 2;
  }

  /** Runs a task in its turn and returns its result. Rejects with QueueFull if there is no room for it. */
  async run<Result>(network: ClientNetworks, task: () => Promise<Result>): Promise<Result> {
    if (!this.hasRoomFor(network)) throw new QueueFull();
    const { wide } = network;
    this.#tasks.set(wide, (this.#tasks.get(wide) ?? 0) + 1);
    try {
      return await this.#queue.add(task);
    } finally {
      const left = (this.#tasks.get(wide) ?? 1) - 1;
      if (left > 0) this.#tasks.set(wide, left);
      else this.#tasks.delete(wide);
    }
  }
}
