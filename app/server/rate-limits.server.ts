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
  /** Opening Stripe's portal. */
  portal: {
    address: { attempts: 300, seconds: HOUR },
    account: { attempts: 30, seconds: HOUR },
  },
  /** Asking Stripe whether a payment has arrived; a page that waits for one asks nine times by itself. */
  confirmation: {
    address: { attempts: 300, seconds: HOUR },
    account: { attempts: 60, seconds: HOUR },
  },
} as const satisfies Record<string, { address: Limit; account: Limit }>;

export type Limited = keyof typeof LIMITS;

/** Who an attempt is counted against: the request's address and the account it names, if it names one. */
export type Attempt = { context: AppLoadContext; account: string | null };

/** How long an attempt waits to be counted by the database, in milliseconds, before it is counted here. */
const PATIENCE_MS = 1_500;

/** A limit as all instances count it, and as this process does by itself while there is no database. */
type Limiter = { shared: RateLimiterDrizzle; alone: RateLimiterMemory };

const limiters = new Map<string, Limiter>();

/**
 * Counts an attempt against its limits, which all instances share through the database. Gives null, or
 * the seconds after which it makes sense to try again. While the database is away, or too slow to ask,
 * each process counts alone.
 */
export async function secondsToWait(
  limited: Limited,
  { context, account }: Attempt,
): Promise<number | null> {
  const keys: ["address" | "account", string][] = [];
  if (context.clientAddress) keys.push(["address", network(context.clientAddress)]);
  if (account) keys.push(["account", digest(account.trim().toLowerCase())]);

  const waits = await Promise.all(
    keys.map(async ([by, key]) => {
      const refused = await count(limiter(limited, by), key);
      if (!refused) return 0;
      countRateLimited(limited, by);
      // the next attempts from here are refused in memory; this line stands for all of them
      if (refused.consumedPoints > 0) log().warn({ limited, by }, "rate limit reached");
      return Math.max(1, Math.ceil(refused.msBeforeNext / 1000));
    }),
  );
  const wait = Math.max(0, ...waits);
  return wait > 0 ? wait : null;
}

/** Null for an attempt that is allowed. */
async function count({ shared, alone }: Limiter, key: string): Promise<RateLimiterRes | null> {
  try {
    await inTime(shared.consume(key));
    return null;
  } catch (reason) {
    if (reason instanceof RateLimiterRes) return reason;
    log().warn({ err: reason }, "a rate limit is counted without the database");
  }
  return alone.consume(key).then(
    () => null,
    (refused: RateLimiterRes) => refused,
  );
}

async function inTime(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    const reason = new Error(`The database did not answer within ${PATIENCE_MS} ms.`);
    timer = setTimeout(reject, PATIENCE_MS, reason);
  });
  await Promise.race([work, tooLate]).finally(() => clearTimeout(timer));
}

/** What a toast says to whoever has to wait. */
export function waitMessage(seconds: number): string {
  const minutes = Math.ceil(seconds / MINUTE);
  return `Too many attempts. Please try again in ${minutes <= 1 ? "a minute" : `${minutes} minutes`}.`;
}

function limiter(limited: Limited, by: "address" | "account"): Limiter {
  const name = `${limited}:${by}`;
  let found = limiters.get(name);
  if (!found) {
    const { attempts, seconds } = LIMITS[limited][by];
    const points = Math.max(1, Math.round(attempts * env().RATE_LIMIT_FACTOR));
    const shared = new RateLimiterDrizzle({
      // looked up at each use: tests change the database under a running module
      storeClient: { insert: (table: never) => getDatabase().db.insert(table) },
      schema: rateLimits,
      keyPrefix: name,
      points,
      duration: seconds,
      // a flood is refused without asking the database each time
      inMemoryBlockOnConsumed: points + 1,
      clearExpiredByTimeout: false,
    });
    found = {
      shared,
      alone: new RateLimiterMemory({ keyPrefix: name, points, duration: seconds }),
    };
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
  const groups = [...left, ...Array<string>(zeros).fill("0"), ...right];
  // a group may be written in either case and with zeros in front
  return groups.map((group) => Number.parseInt(group, 16).toString(16));
}

/** An account is counted under a digest, so that the table holds no addresses. */
function digest(account: string): string {
  return createHash("sha256").update(account).digest("base64url").slice(0, 32);
}
