import pLimit from "p-limit";

/**
 * How much of such work runs at the same time. Each holds a database connection while it waits for Stripe,
 * and half of the pool's ten must stay free for the pages when Stripe is slow.
 */
const AT_ONCE = 5;

const turns = pLimit(AT_ONCE);
const tails = new Map<string, Promise<unknown>>();

/**
 * Runs work one after the other for each key in this process, and only so much at the same time
 * altogether; it must not call itself. The row lock in PostgreSQL is what keeps several processes apart;
 * this keeps a hundred clicks of one user, or a hundred users while Stripe is slow, from holding a hundred
 * connections while they wait.
 */
export async function serialised<Result>(
  key: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const before = tails.get(key) ?? Promise.resolve();
  const next = () => turns(work);
  const result = before.then(next, next);
  const tail = result.catch(() => {});
  tails.set(key, tail);
  try {
    return await result;
  } finally {
    if (tails.get(key) === tail) tails.delete(key);
  }
}
