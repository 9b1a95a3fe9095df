import pTimeout from "p-timeout";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { env } from "~/env.server";
import { type CountedAttempt, countAttempts } from "~db/queries/rate-limits";

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

/** One less than the database can count to, for a factor that is meant to switch the limits off. */
const MAX_POINTS = 2 ** 31 - 2;

/** Most keys over their limit that a limiter remembers. */
const MAX_REMEMBERED = 10_000;

/**
 * One limit, per key. Attempts are counted in the database, shared by all instances, or in this process alone while the
 * database is unavailable.
 */
export class RateLimiter {
  readonly #name: string;
  readonly #points: number;
  readonly #seconds: number;
  readonly #local: RateLimiterMemory;
  /** When the count of a key over its limit is reset, so that a flood is rejected without queries. */
  readonly #rejectedUntil = new Map<string, number>();

  constructor(name: string, { attempts, seconds }: Limit) {
    this.#name = name;
    const points = Math.round(attempts * env().RATE_LIMIT_FACTOR);
    this.#points = Math.min(Math.max(1, points), MAX_POINTS);
    this.#seconds = seconds;
    this.#local = new RateLimiterMemory({
      keyPrefix: name,
      points: this.#points,
      duration: seconds,
    });
  }

  /** Milliseconds for which a key is known to be over its limit, without a query; 0 if it is not. */
  knownWait(key: string): number {
    const wait = (this.#rejectedUntil.get(key) ?? 0) - performance.now();
    if (wait > 0) return wait;
    this.#rejectedUntil.delete(key);
    return 0;
  }

  /** An attempt of this key, to be counted in the database. */
  attempt(key: string): CountedAttempt {
    return { key: `${this.#name}:${key}`, points: this.#points, seconds: this.#seconds };
  }

  /** Judges an attempt by its count in the database; null if it is allowed. */
  judge(key: string, { points, wait }: { points: number; wait: number }): RejectedAttempt | null {
    if (points <= this.#points) return null;
    this.#rejectedUntil.delete(key);
    const [oldest] = this.#rejectedUntil.keys();
    if (this.#rejectedUntil.size >= MAX_REMEMBERED && oldest !== undefined) {
      this.#rejectedUntil.delete(oldest);
    }
    this.#rejectedUntil.set(key, performance.now() + wait);
    return { wait, isFirst: points === this.#points + 1 };
  }

  /** Counts an attempt in this process alone; null if it is allowed. */
  async countLocally(key: string): Promise<RejectedAttempt | null> {
    try {
      await this.#local.consume(key);
      return null;
    } catch (reason) {
      if (!(reason instanceof RateLimiterRes)) throw reason;
      const { msBeforeNext, consumedPoints } = reason;
      return { wait: msBeforeNext, isFirst: consumedPoints === this.#points + 1 };
    }
  }
}

export type LimitedAttempt = { limiter: RateLimiter; key: string };

/**
 * Counts an attempt in the database for each of its limits, up to the first that rejects it; null if none does. Throws
 * when the database does not respond in time.
 */
export async function countInDatabase<Attempt extends LimitedAttempt>(
  attempts: readonly Attempt[],
): Promise<(RejectedAttempt & { attempt: Attempt }) | null> {
  if (attempts.length === 0) return null;
  const counting = countAttempts(attempts.map(({ limiter, key }) => limiter.attempt(key)));
  const counts = await pTimeout(counting, { milliseconds: TIMEOUT_MS });
  for (const [index, count] of counts.entries()) {
    const attempt = attempts[index];
    const rejected = attempt?.limiter.judge(attempt.key, count);
    if (attempt && rejected) return { ...rejected, attempt };
  }
  return null;
}

/** As `countInDatabase`, but in this process alone. */
export async function countLocally<Attempt extends LimitedAttempt>(
  attempts: readonly Attempt[],
): Promise<(RejectedAttempt & { attempt: Attempt }) | null> {
  for (const attempt of attempts) {
    const rejected = await attempt.limiter.countLocally(attempt.key);
    if (rejected) return { ...rejected, attempt };
  }
  return null;
}
