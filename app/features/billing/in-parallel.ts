import PQueue from "p-queue";

/** Enough to use up the calls a second that Stripe takes while each takes half a second. */
const CONCURRENCY = 25;

/** Does some work for each item, several at the same time. Throws what the first to fail throws, and begins no more. */
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
