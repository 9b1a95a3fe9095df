import type { AppLoadContext } from "@remix-run/node";
import type { ClientNetworks } from "./client-network.server";
import { FairQueue } from "./fair-queue.server";

/** Pages that are made at one time: each takes memory, and with more of them none comes sooner. */
const CONCURRENT_PAGES = 32;

/** Pages that wait for that; who has no fair share of these places left is told to come again. */
const MAX_WAITING_PAGES = 400;

/** Runs work that waits for somebody outside, such as Stripe, without holding a slot meanwhile. */
export type WhileOutside = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** The slots in which pages are made, so many at one time; networks share them fairly. */
export class PageSlots {
  readonly #queue = new FairQueue({ concurrency: CONCURRENT_PAGES, maxWaiting: MAX_WAITING_PAGES });

  /**
   * Makes a page in a slot; throws QueueFull when its network has no place to wait for one. What the page
   * runs through `whileOutside` gives the slot back and takes another one, at the end of the queue, when
   * it is done.
   */
  async run<Result>(
    network: ClientNetworks,
    makePage: (whileOutside: WhileOutside) => Promise<Result>,
  ): Promise<Result> {
    let slot = this.#take(network);
    let outside = 0;
    let isMade = false;
    const whileOutside: WhileOutside = async (work) => {
      outside++;
      if (outside === 1) void slot.then((giveBack) => giveBack());
      try {
        return await work();
      } finally {
        outside--;
        if (outside === 0 && !isMade) {
          // a page that is half made is finished without a slot rather than lost
          slot = this.#take(network).catch(() => () => {});
        }
        await slot;
      }
    };

    await slot;
    try {
      return await makePage(whileOutside);
    } finally {
      isMade = true;
      void slot.then((giveBack) => giveBack());
    }
  }

  /** Resolves with a slot, which is its holder's until the given function is called. Rejects with QueueFull. */
  #take(network: ClientNetworks): Promise<() => void> {
    return new Promise((taken, refused) => {
      this.#queue
        .run(network, () => new Promise<void>((giveBack) => taken(giveBack)))
        .catch(refused);
    });
  }
}

/** Runs work that waits for somebody outside; its page's slot, if it has one, is another page's meanwhile. */
export function whileOutside<Result>(
  { whileOutside: give }: AppLoadContext,
  work: () => Promise<Result>,
): Promise<Result> {
  return give ? give(work) : work();
}
