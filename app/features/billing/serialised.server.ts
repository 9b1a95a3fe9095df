const tails = new Map<string, Promise<unknown>>();

/**
 * Runs work one after the other for each key in this process. The row lock in PostgreSQL is what keeps
 * several processes apart; this keeps a hundred clicks of one user from holding a hundred connections
 * while they wait for that lock.
 */
export async function serialised<Result>(
  key: string,
  work: () => Promise<Result>,
): Promise<Result> {
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
