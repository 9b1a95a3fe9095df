import { AsyncResource } from "node:async_hooks";
import PQueue from "p-queue";
import { callPurpose, priorityOf } from "./call-purpose.server";

/**
 * How much of such work runs at the same time. Each holds a database connection while it waits for Stripe,
 * and half of the pool's ten must stay free for the pages when Stripe is slow.
 */
const AT_ONCE = 5;

const connections = new PQueue({ concurrency: AT_ONCE });
const tails = new Map<string, Promise<unknown>>();
const waiting = new Map<string, Promise<unknown>>();

/**
 * Runs work one after the other for each key in this process, and only so much at the same time
 * altogether, the most urgent purpose first; it must not call itself. The row lock in PostgreSQL is what
 * keeps several processes apart; this keeps a hundred clicks of one user, or a hundred users while Stripe
 * is slow, from holding a hundred connections while they wait.
 */
export function serialised<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
  const priority = priorityOf(callPurpose());
  return inOrder(key, () =>
    // bound, because the queue starts it from within whichever work ended before
    connections.add(AsyncResource.bind(work), { priority }),
  );
}

/**
 * As `serialised`, for work whose result is the same for everybody who waits for it: of one key and purpose
 * one runs and one waits at most, and whoever comes meanwhile shares the one that waits. The one that runs
 * may have asked already, and would miss what its newcomers know of. The first one's `work` is what runs.
 */
export function sharedSerialised<Result>(
  key: string,
  work: () => Promise<Result>,
): Promise<Result> {
  return shared(`${callPurpose()} ${key}`, (begin) =>
    serialised(key, () => {
      begin();
      return work();
    }),
  );
}

/** As `sharedSerialised`, for work that holds no connection itself: only its own key is waited for. */
export function sharedInOrder<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
  return shared(key, (begin) =>
    inOrder(key, () => {
      begin();
      return work();
    }),
  );
}

function shared<Result>(
  key: string,
  start: (begin: () => void) => Promise<Result>,
): Promise<Result> {
  const next = waiting.get(key) as Promise<Result> | undefined;
  if (next) return next;
  const result = start(() => waiting.delete(key));
  waiting.set(key, result);
  return result;
}

async function inOrder<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
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
