const tails = new Map<string, Promise<unknown>>();
const pending = new Map<string, Promise<unknown>>();

/**
 * Shares the result of `work` among concurrent callers with the same key; at most one run is active and one pending.
 * Callers during a run share the pending one, because the active run may have read outdated state. Runs the first
 * caller's `work`, which must not call `coalesce` with the same key.
 */
export function coalesce<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
  const next = pending.get(key) as Promise<Result> | undefined;
  if (next) return next;
  const result = runAfterPrevious(key, () => {
    pending.delete(key);
    return work();
  });
  pending.set(key, result);
  return result;
}

async function runAfterPrevious<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
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
