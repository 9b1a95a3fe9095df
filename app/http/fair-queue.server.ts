import type { ClientNetworks } from "./client-network.server";
import { RoundRobin } from "./round-robin.server";

/**
 * Thrown when the queue is full and the network already has its fair share of it; the task was not started.
 */
export class QueueFull extends Error {
  override name = "QueueFull";
}

type Limits = {
  /** Tasks that run at one time. */
  concurrency: number;
  /** Tasks that may wait, of all networks together. */
  maxWaiting: number;
};

type Waiting = { start: () => void; reject: (reason: QueueFull) => void };

/**
 * Runs a limited number of tasks concurrently and lets a limited number wait, shared fairly between networks:
 * they are served round-robin, and when the queue is full, the network with the most waiting tasks loses its
 * newest. A network can therefore fill the queue only while nobody else needs it.
 */
export class FairQueue {
  readonly #waiting = new RoundRobin<Waiting>();
  #running = 0;

  #limits: Limits;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Changes the limits. What runs or waits already stays, and more begin if more may run. */
  setLimits(limits: Limits): void {
    this.#limits = limits;
    while (this.#running < limits.concurrency) {
      const next = this.#waiting.takeNext();
      if (!next) return;
      this.#running += 1;
      next.start();
    }
  }

  /** Tasks in progress. */
  get running(): number {
    return this.#running;
  }

  /** Tasks that have not started. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Whether `run` would accept a task of this network now. Undefined stands for clients without an address.
   */
  hasRoomFor(network: ClientNetworks | undefined): boolean {
    return (
      this.#running < this.#limits.concurrency ||
      this.#waiting.size < this.#limits.maxWaiting ||
      this.#waiting.mayEvictFor(network)
    );
  }

  /**
   * Runs a task when it is its network's turn, and returns its result. Rejects with QueueFull, before the
   * task has started, when the queue has no room for its network or the task was evicted for a smaller one.
   */
  async run<Result>(
    network: ClientNetworks | undefined,
    task: () => Promise<Result>,
  ): Promise<Result> {
    await this.#start(network);
    try {
      return await task();
    } finally {
      this.#end();
    }
  }

  async #start(network: ClientNetworks | undefined): Promise<void> {
    if (this.#running < this.#limits.concurrency) {
      this.#running += 1;
      return;
    }
    if (!this.hasRoomFor(network)) throw new QueueFull();
    if (this.#waiting.size >= this.#limits.maxWaiting) {
      this.#waiting.evictFor(network)?.reject(new QueueFull());
    }
    await new Promise<void>((start, reject) => this.#waiting.add(network, { start, reject }));
  }

  /** Passes the slot directly to the next task, so that a newcomer cannot take it first. */
  #end(): void {
    const isAllowed = this.#running <= this.#limits.concurrency;
    const next = isAllowed ? this.#waiting.takeNext() : undefined;
    if (next) next.start();
    else this.#running -= 1;
  }
}
