import type { ClientNetworks } from "./client-network.server";
import { RoundRobin } from "./round-robin.server";

/** A network has as much work waiting as is fair while the queue is full; this work was not begun. */
export class QueueFull extends Error {
  override name = "QueueFull";
}

type Limits = {
  /** Works that run at one time. */
  concurrency: number;
  /** Works that wait for that, of all networks together. */
  maxWaiting: number;
};

type Waiting = { begin: () => void; reject: (reason: QueueFull) => void };

/**
 * Runs a bounded number of works at one time and lets a bounded number wait, shared fairly between the
 * networks that ask: they are served in turn, and when no place to wait is left, the network that has most
 * of them loses its newest. So a network can fill the queue only as long as nobody else wants it.
 */
export class FairQueue {
  readonly #waiting = new RoundRobin<Waiting>();
  #running = 0;

  constructor(private readonly limits: Limits) {}

  /** Works that are under way. */
  get running(): number {
    return this.#running;
  }

  /** Works that have not begun. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Whether `run` would take work of this network now. Undefined stands for clients without an address. */
  hasPlaceFor(network: ClientNetworks | undefined): boolean {
    return (
      this.#running < this.limits.concurrency ||
      this.#waiting.size < this.limits.maxWaiting ||
      this.#waiting.mayReplace(network)
    );
  }

  /**
   * Runs work when it is its network's turn and gives what it gives. Rejects with QueueFull, before the
   * work has begun, when its network has no place or had to give this one up to a smaller network.
   */
  async run<Result>(
    network: ClientNetworks | undefined,
    work: () => Promise<Result>,
  ): Promise<Result> {
    await this.#begin(network);
    try {
      return await work();
    } finally {
      this.#end();
    }
  }

  async #begin(network: ClientNetworks | undefined): Promise<void> {
    if (this.#running < this.limits.concurrency) {
      this.#running += 1;
      return;
    }
    if (!this.hasPlaceFor(network)) throw new QueueFull();
    if (this.#waiting.size >= this.limits.maxWaiting) {
      this.#waiting.takeReplaced(network)?.reject(new QueueFull());
    }
    await new Promise<void>((begin, reject) => this.#waiting.add(network, { begin, reject }));
  }

  /** Hands the place on to whoever is next, so that nobody who comes in between can take it. */
  #end(): void {
    const next = this.#waiting.takeNext();
    if (next) next.begin();
    else this.#running -= 1;
  }
}
