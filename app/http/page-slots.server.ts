import type { AppLoadContext } from "@remix-run/node";
import type { ClientNetworks } from "./client-network.server";
import { FairQueue } from "./fair-queue.server";

/** Pages rendered at one time: each takes memory, and more of them would not finish any sooner. */
const CONCURRENT_PAGES = 32;

/** Pages that may wait for a slot; beyond a network's fair share of these, it is told to retry. */
const MAX_WAITING_PAGES = 400;

/** Runs work that waits for an external service, such as Stripe, with the page's slot released meanwhile. */
export type WithSlotReleased = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** A limited number of slots for rendering pages, shared fairly between networks. */
export class PageSlots {
  readonly #queue = new FairQueue({ concurrency: CONCURRENT_PAGES, maxWaiting: MAX_WAITING_PAGES });

  /**
   * Renders a page in a slot; throws QueueFull when the queue has no room for its network. Work that the page
   * runs through `withSlotReleased` releases the slot, and reacquires one at the end of the queue afterwards.
   */
  async run<Result>(
    network: ClientNetworks,
    renderPage: (withSlotReleased: WithSlotReleased) => Promise<Result>,
  ): Promise<Result> {
    let slot = this.#acquire(network);
    let externalWaits = 0;
    let isRendered = false;
    const withSlotReleased: WithSlotReleased = async (work) => {
      externalWaits++;
      if (externalWaits === 1) void slot.then((release) => release());
      try {
        return await work();
      } finally {
        externalWaits--;
        if (externalWaits === 0 && !isRendered) {
          // better to finish a half-rendered page without a slot than to lose it
          slot = this.#acquire(network).catch(() => () => {});
        }
        await slot;
      }
    };

    await slot;
    try {
      return await renderPage(withSlotReleased);
    } finally {
      isRendered = true;
      void slot.then((release) => release());
    }
  }

  /** Resolves with a slot, held until the returned function is called. Rejects with QueueFull. */
  #acquire(network: ClientNetworks): Promise<() => void> {
    return new Promise((resolve, reject) => {
      this.#queue
        .run(network, () => new Promise<void>((release) => resolve(release)))
        .catch(reject);
    });
  }
}

/**
 * Runs work that waits for an external service; the page's slot, if any, is free for other pages meanwhile.
 */
export function withSlotReleased<Result>(
  { withSlotReleased: run }: AppLoadContext,
  work: () => Promise<Result>,
): Promise<Result> {
  return run ? run(work) : work();
}
