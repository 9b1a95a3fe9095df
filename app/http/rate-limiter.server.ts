import pTimeout from "p-timeout";
import { RateLimiterDrizzle, RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { env } from "~/env.server";
import { getDatabase } from "~db/client";
import { rateLimits } from "~db/schema";

/** Attempts allowed in a number of seconds; `RATE_LIMIT_FACTOR` multiplies the attempts. */
export type Limit = { attempts: number; seconds: number };

/** An attempt that a limit rejects. */
export type RejectedAttempt = {
  /** Milliseconds until the count is reset. */
  wait: number;
  /** Whether it is the first one rejected since the last reset, across all instances. */
  isFirst: boolean;
};

/** How long to wait for the database to count an attempt, in milliseconds. */
const TIMEOUT_MS = 1_500;

/** A method missing from the library's types: how long a key is rejected without a query, in milliseconds. */
type SharedLimiter = RateLimiterDrizzle & { getInMemoryBlockMsBeforeExpire(key: string): number };

/**
 * Counts attempts against one limit, per key: in the database, shared by all instances, or in this process
 * alone while the database is unavailable.
 */
export class RateLimiter {
  readonly #shared: SharedLimiter;
  readonly #local: RateLimiterMemory;
  readonly #points: number;

  constructor(name: string, { attempts, seconds }: Limit) {
    this.#points = Math.max(1, Math.round(attempts * env().RATE_LIMIT_FACTOR));
    const options = { keyPrefix: name, points: this.#points, duration: seconds };
    this.#local = new RateLimiterMemory(options);
    this.#shared = new RateLimiterDrizzle({
      ...options,
      // resolved on each use, because tests swap the database of a loaded module
      storeClient: { insert: (table: never) => getDatabase().db.insert(table) },
      schema: rateLimits,
      // during a flood a key over its limit is rejected without a query
      inMemoryBlockOnConsumed: this.#points + 1,
      clearExpiredByTimeout: false,
    }) as SharedLimiter;
  }

  /** Milliseconds for which a key is known to be over its limit, without a query; 0 if it is not. */
  cachedWait(key: string): number {
    return this.#shared.getInMemoryBlockMsBeforeExpire(this.#shared.getKey(key));
  }

  /**
   * Counts an attempt in the database; null if it is allowed. Throws when the database does not respond in
   * time.
   */
  consume(key: string): Promise<RejectedAttempt | null> {
    const counting = pTimeout(this.#shared.consume(key), {
      milliseconds: TIMEOUT_MS,
      message: `The database did not answer within ${TIMEOUT_MS} ms.`,
    });
    return this.#count(counting);
  }

  /** As `consume`, but counts in this process alone. */
  consumeLocally(key: string): Promise<RejectedAttempt | null> {
    return this.#count(this.#local.consume(key));
  }

  async #count(counting: Promise<unknown>): Promise<RejectedAttempt | null> {
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
