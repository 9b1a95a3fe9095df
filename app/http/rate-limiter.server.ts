import pTimeout from "p-timeout";
import { RateLimiterDrizzle, RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { env } from "~/env.server";
import { getDatabase } from "~db/client";
import { rateLimits } from "~db/schema";

/** Attempts allowed in a number of seconds; `RATE_LIMIT_FACTOR` multiplies the attempts. */
export type Limit = { attempts: number; seconds: number };

/** An attempt that a limit refuses. */
export type RefusedAttempt = {
  /** Milliseconds until the count starts anew. */
  wait: number;
  /** Whether it is the first one refused of this count, of whichever instance. */
  isFirst: boolean;
};

/** How long an attempt waits to be counted by the database, in milliseconds. */
const TIMEOUT_MS = 1_500;

/** The library's types leave this method of its out: how long a key is refused without asking, in ms. */
type SharedLimiter = RateLimiterDrizzle & { getInMemoryBlockMsBeforeExpire(key: string): number };

/**
 * Counts attempts against one limit, each under a key: in the database, together with all instances, or in
 * this process alone while there is no database.
 */
export class RateLimiter {
  readonly #shared: SharedLimiter;
  readonly #alone: RateLimiterMemory;
  readonly #points: number;

  constructor(name: string, { attempts, seconds }: Limit) {
    this.#points = Math.max(1, Math.round(attempts * env().RATE_LIMIT_FACTOR));
    const options = { keyPrefix: name, points: this.#points, duration: seconds };
    this.#alone = new RateLimiterMemory(options);
    this.#shared = new RateLimiterDrizzle({
      ...options,
      // looked up at each use: tests change the database under a running module
      storeClient: { insert: (table: never) => getDatabase().db.insert(table) },
      schema: rateLimits,
      // a flood is refused without asking the database each time
      inMemoryBlockOnConsumed: this.#points + 1,
      clearExpiredByTimeout: false,
    }) as SharedLimiter;
  }

  /** Milliseconds for which a key is known to be refused, without asking the database; 0 if it is not. */
  knownWait(key: string): number {
    return this.#shared.getInMemoryBlockMsBeforeExpire(this.#shared.getKey(key));
  }

  /** Counts an attempt in the database; null if it is allowed. Throws when the database does not answer in time. */
  consume(key: string): Promise<RefusedAttempt | null> {
    const counting = pTimeout(this.#shared.consume(key), {
      milliseconds: TIMEOUT_MS,
      message: `The database did not answer within ${TIMEOUT_MS} ms.`,
    });
    return this.#count(counting);
  }

  /** As `consume`, but counts in this process alone. */
  consumeAlone(key: string): Promise<RefusedAttempt | null> {
    return this.#count(this.#alone.consume(key));
  }

  async #count(counting: Promise<unknown>): Promise<RefusedAttempt | null> {
    try {
      await counting;
      return null;
    } catch (reason) {
      if (!(reason instanceof RateLimiterRes)) throw reason;
      const { msBeforeNext, consumedPoints } = reason;
      return { wait: msBeforeNext, isFirst: consumedPoints === this.#points + 1 };
    }
  }
}
