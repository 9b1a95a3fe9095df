import PQueue from "p-queue";

/** Enough to reach Stripe's rate limit when a call takes half a second. */
const CONCURRENCY = 25;

/** Runs the callback for each item, several concurrently. Rejects with the first error and starts no more after it. */
export async function inParallel<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = new PQueue({ concurrency: CONCURRENCY });
  try {
    await queue.addAll(items.map((item) => () => work(item)));
  } catch (error) {
    queue.clear();
    throw error;
  }
}
