import pMap from "p-map";

/** Enough to reach Stripe's rate limit at half a second per call. */
const CONCURRENCY = 25;

/** Calls `work` for each item, several concurrently. Rejects with the first error and starts no more after it. */
export async function inParallel<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  await pMap(items, work, { concurrency: CONCURRENCY });
}

/** Groups an async iterable's items, such as Stripe's lists, into pages of at most `size`. */
export async function* inPages<Item>(
  items: AsyncIterable<Item>,
  size: number,
): AsyncGenerator<Item[]> {
  let page: Item[] = [];
  for await (const item of items) {
    page.push(item);
    if (page.length < size) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
