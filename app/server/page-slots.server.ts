import type { AppLoadContext } from "@remix-run/node";
import pLimit from "p-limit";

/** Pages that are made at one time: each takes memory, and with more of them none comes sooner. */
const PAGES_AT_ONCE = 32;

/** Pages that wait for that; whoever comes then is told so. */
const PAGES_WAITING_AT_MOST = 400;

/** Runs work that waits for somebody outside, such as Stripe, without holding a slot meanwhile. */
export type WhileOutside = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** The slots in which pages are made, so many at one time. */
export class PageSlots {
  readonly #queue = pLimit(PAGES_AT_ONCE);

  /** Whether so many pages wait for a slot that no more should. */
  get isFull(): boolean {
    return this.#queue.pendingCount >= PAGES_WAITING_AT_MOST;
  }

  /**
   * Makes a page in a slot. What the page runs through `whileOutside` gives the slot back and takes
   * another one, at the end of the queue, when it is done.
   */
  async run<Result>(makePage: (whileOutside: WhileOutside) => Promise<Result>): Promise<Result> {
    let slot = this.#take();
    let outside = 0;
    let isMade = false;
    const whileOutside: WhileOutside = async (work) => {
      outside++;
      if (outside === 1) void slot.then((giveBack) => giveBack());
      try {
        return await work();
      } finally {
        outside--;
        if (outside === 0 && !isMade) slot = this.#take();
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

  /** Resolves with a slot, which is its holder's until the given function is called. */
  #take(): Promise<() => void> {
    return new Promise((taken) => {
      void this.#queue(() => new Promise<void>((giveBack) => taken(giveBack)));
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
