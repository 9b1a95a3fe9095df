const tails = new Map<string, Promise<unknown>>();
const waiting = new Map<string, Promise<unknown>>();

/**
 * Runs work whose result is the same for everybody who waits for it: of one key one runs and one waits at
 * most, and whoever comes meanwhile shares the one that waits. The one that runs may have asked already,
 * and would miss what its newcomers know of. The first one's `work` is what runs; it must not call itself.
 */
export function coalesce<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
  const next = waiting.get(key) as Promise<Result> | undefined;
  if (next) return next;
  const result = runInOrder(key, () => {
    waiting.delete(key);
    return work();
  });
  waiting.set(key, result);
  return result;
}

async function runInOrder<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
  const before = tails.get(key) ?? Promise.resolve();
  const result = before.then(work, work);
  const tail = result.catch(() => {});
  tails.set(key, tail);
  try {
    return await result;
  } finally {
    if (tails.get(key) === tail) tails.delete(key);
  }
}
