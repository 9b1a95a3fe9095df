import { createHash } from "node:crypto";
import { isIPv6 } from "node:net";
import type { AppLoadContext } from "@remix-run/node";
import { RateLimiterDrizzle, RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { env } from "~/env.server";
import { getDatabase } from "~db/client";
import { rateLimits } from "~db/schema";
import { log } from "./log.server";
import { countRateLimited } from "./metrics.server";

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Attempts allowed in a number of seconds; `RATE_LIMIT_FACTOR` multiplies the attempts. */
type Limit = { attempts: number; seconds: number };

/** What is limited, by the address a request came from and by the account it is about. */
const LIMITS = {
  login: {
    address: { attempts: 50, seconds: 15 * MINUTE },
    account: { attempts: 10, seconds: 15 * MINUTE },
  },
  signup: {
    address: { attempts: 20, seconds: HOUR },
    account: { attempts: 10, seconds: HOUR },
  },
  reset: {
    address: { attempts: 20, seconds: HOUR },
    account: { attempts: 5, seconds: HOUR },
  },
  newsletter: {
    address: { attempts: 30, seconds: HOUR },
    account: { attempts: 10, seconds: HOUR },
  },
  checkout: {
    address: { attempts: 300, seconds: HOUR },
    account: { attempts: 120, seconds: HOUR },
  },
} as const satisfies Record<string, { address: Limit; account: Limit }>;

export type Limited = keyof typeof LIMITS;

/** Who an attempt is counted against: the request's address and the account it names, if it names one. */
export type Attempt = { context: AppLoadContext; account: string | null };

const limiters = new Map<string, RateLimiterDrizzle>();

/**
 * Counts an attempt against its limits, which all instances share through the database. Gives null, or
 * the seconds after which it makes sense to try again. Without a database each process counts alone.
 */
export async function secondsToWait(
  limited: Limited,
  { context, account }: Attempt,
): Promise<number | null> {
  const keys: ["address" | "account", string][] = [];
  if (context.clientAddress) keys.push(["address", network(context.clientAddress)]);
  if (account) keys.push(["account", digest(account.trim().toLowerCase())]);

  let wait = 0;
  for (const [by, key] of keys) {
    try {
      await limiter(limited, by).consume(key);
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) {
        log().error({ err: refused }, "a rate limit could not be counted");
        continue;
      }
      wait = Math.max(wait, Math.ceil(refused.msBeforeNext / 1000));
      countRateLimited(limited, by);
      // the next attempts from here are refused in memory; this line stands for all of them
      if (refused.isFirstInDuration || refused.remainingPoints === 0) {
        log().warn({ limited, by }, "rate limit reached");
      }
    }
  }
  return wait > 0 ? wait : null;
}

/** What a toast says to whoever has to wait. */
export function waitMessage(seconds: number): string {
  const minutes = Math.ceil(seconds / MINUTE);
  return `Too many attempts. Please try again in ${minutes <= 1 ? "a minute" : `${minutes} minutes`}.`;
}

function limiter(limited: Limited, by: "address" | "account"): RateLimiterDrizzle {
  const name = `${limited}:${by}`;
  let found = limiters.get(name);
  if (!found) {
    const { attempts, seconds } = LIMITS[limited][by];
    const points = Math.max(1, Math.round(attempts * env().RATE_LIMIT_FACTOR));
    found = new RateLimiterDrizzle({
      // looked up at each use: tests change the database under a running module
      storeClient: { insert: (table: never) => getDatabase().db.insert(table) },
      schema: rateLimits,
      keyPrefix: name,
      points,
      duration: seconds,
      // a flood is refused without asking the database each time
      inMemoryBlockOnConsumed: points + 1,
      clearExpiredByTimeout: false,
      insuranceLimiter: new RateLimiterMemory({ keyPrefix: name, points, duration: seconds }),
    });
    limiters.set(name, found);
  }
  return found;
}

/** Addresses go in and out of an IPv6 /64 at will, so that counts as one. */
function network(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  return isIPv6(plain) ? `${expand(plain).slice(0, 4).join(":")}::/64` : plain;
}

function expand(address: string): string[] {
  const [head = "", tail] = address.split("%")[0]?.split("::") ?? [];
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  return [...left, ...Array<string>(zeros).fill("0"), ...right];
}

/** An account is counted under a digest, so that the table holds no addresses. */
function digest(account: string): string {
  return createHash("sha256").update(account).digest("base64url").slice(0, 32);
}
