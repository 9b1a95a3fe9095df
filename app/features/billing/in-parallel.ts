/** Enough to use up the calls a second that Stripe takes while each takes half a second. */
const AT_ONCE = 25;

/** Does some work for each item, several at the same time. Throws what the first to fail throws, and begins no more. */
export async function inParallel<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  let hasFailed = false;
  const worker = async () => {
    while (!hasFailed) {
      const { done, value } = rest.next();
      if (done) return;
      try {
        await work(value);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
