import { createHash } from "node:crypto";
import type { AppLoadContext } from "@remix-run/node";
import { log } from "~/observability/log.server";
import { countRateLimited } from "~/observability/metrics.server";
import { logSecurityEvent } from "~/observability/security-log.server";
import { clientNetworks } from "./client-network.server";
import { type Limit, RateLimiter, type RefusedAttempt } from "./rate-limiter.server";

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** What an attempt is counted by. */
export type CountedBy =
  /** The client's narrow network, whatever the attempt is about. */
  | "network"
  /** The wide network around it. */
  | "wide-network"
  /** The account, as far as it is tried from this network: a crowd elsewhere locks nobody out. */
  | "account-from-network"
  /** The account, as far as it is tried from this wide network: it cannot use up the next bound alone. */
  | "account-from-wide-network"
  /** The account from wherever it is tried by browsers that have never signed in to it. */
  | "account"
  /** The account in a browser that has signed in to it before, and nothing else. */
  | "known-browser";

/** A wide network may be many households, or one customer with as many addresses as it likes. */
const LIMITS = {
  login: {
    network: { attempts: 50, seconds: 15 * MINUTE },
    "wide-network": { attempts: 100, seconds: 15 * MINUTE },
    "account-from-network": { attempts: 10, seconds: 15 * MINUTE },
    "account-from-wide-network": { attempts: 15, seconds: 15 * MINUTE },
    // bounds guessing from everywhere together; docs/security.md states what that comes to in a day
    account: { attempts: 100, seconds: HOUR },
    "known-browser": { attempts: 10, seconds: 15 * MINUTE },
  },
  signup: {
    network: { attempts: 20, seconds: HOUR },
    "wide-network": { attempts: 100, seconds: HOUR },
    "account-from-network": { attempts: 10, seconds: HOUR },
  },
  // how much mail that makes for one person is bounded where it is sent
  reset: {
    network: { attempts: 20, seconds: HOUR },
    "wide-network": { attempts: 60, seconds: HOUR },
    "account-from-network": { attempts: 5, seconds: HOUR },
    "known-browser": { attempts: 5, seconds: HOUR },
  },
  "new-password": {
    network: { attempts: 30, seconds: HOUR },
    "wide-network": { attempts: 100, seconds: HOUR },
  },
  newsletter: {
    network: { attempts: 30, seconds: HOUR },
    "wide-network": { attempts: 300, seconds: HOUR },
    "account-from-network": { attempts: 10, seconds: HOUR },
  },
  // only the account's owner, signed in, can use these up
  checkout: {
    network: { attempts: 300, seconds: HOUR },
    "wide-network": { attempts: 1_200, seconds: HOUR },
    account: { attempts: 120, seconds: HOUR },
  },
  portal: {
    network: { attempts: 300, seconds: HOUR },
    "wide-network": { attempts: 1_200, seconds: HOUR },
    account: { attempts: 30, seconds: HOUR },
  },
  // whether a payment has arrived; a page that waits for one asks nine times by itself
  confirmation: {
    network: { attempts: 300, seconds: HOUR },
    "wide-network": { attempts: 1_200, seconds: HOUR },
    account: { attempts: 60, seconds: HOUR },
  },
} as const satisfies Record<string, Partial<Record<CountedBy, Limit>>>;

export type Limited = keyof typeof LIMITS;

/** Who an attempt is counted against. */
export type Attempt = {
  context: AppLoadContext;
  /** What tells the account apart: its e-mail address as `emailSchema` gives it, or its user's id. */
  account?: string | null;
  /** The id of a browser that has signed in to this very account before (`findKnownBrowser`). */
  knownBrowser?: string | null;
};

const limiters = new Map<string, RateLimiter>();

/**
 * Counts an attempt against its limits, which all instances share through the database. Gives null, or
 * the seconds after which it makes sense to try again. The first limit that refuses ends the counting, so
 * what is turned away for the network it comes from takes nothing from the account it names. While the
 * database is away, or too slow to ask, each process counts alone.
 */
export async function checkRateLimit(limited: Limited, attempt: Attempt): Promise<number | null> {
  const counts = countsOf(limited, attempt);
  for (const { by, key } of counts) {
    const wait = limiter(limited, by).knownWait(key);
    if (wait > 0) return refuse(limited, by, wait);
  }
  let isShared = true;
  for (const { by, key } of counts) {
    const limit = limiter(limited, by);
    let refused: RefusedAttempt | null = null;
    if (isShared) {
      try {
        refused = await limit.consume(key);
      } catch (error) {
        log().warn({ err: error }, "a rate limit is counted without the database");
        // the others need not wait for it too
        isShared = false;
      }
    }
    if (!isShared) refused = await limit.consumeAlone(key);
    if (!refused) continue;
    if (refused.isFirst) {
      const { narrow } = clientNetworks(attempt.context.clientAddress);
      // this line stands for all that are refused until the count starts anew
      logSecurityEvent("limit-reached", { limited, by, network: narrow }, "rate limit reached");
    }
    return refuse(limited, by, refused.wait);
  }
  return null;
}

/** What an attempt is counted by, in this order; keys hold no address of a person. */
function countsOf(
  limited: Limited,
  { context, account, knownBrowser }: Attempt,
): { by: CountedBy; key: string }[] {
  const limits: Partial<Record<CountedBy, Limit>> = LIMITS[limited];
  const { narrow, wide } = clientNetworks(context.clientAddress);
  const who = account ? digest(account) : null;
  if (who && knownBrowser && limits["known-browser"]) {
    return [{ by: "known-browser", key: `${who}:${knownBrowser}` }];
  }
  return [
    // under remix-serve nobody's address is known, and all would be one network
    ...(context.clientAddress
      ? [
          { by: "network" as const, key: narrow },
          { by: "wide-network" as const, key: wide },
        ]
      : []),
    ...(who && limits["account-from-network"]
      ? [{ by: "account-from-network" as const, key: `${who}:${narrow}` }]
      : []),
    ...(who && limits["account-from-wide-network"]
      ? [{ by: "account-from-wide-network" as const, key: `${who}:${wide}` }]
      : []),
    ...(who && limits.account ? [{ by: "account" as const, key: who }] : []),
  ];
}

function refuse(limited: Limited, by: CountedBy, milliseconds: number): number {
  countRateLimited(limited, by);
  return Math.max(1, Math.ceil(milliseconds / 1000));
}

/** What a toast says to whoever has to wait. */
export function waitMessage(seconds: number): string {
  const minutes = Math.ceil(seconds / MINUTE);
  return `Too many attempts. Please try again in ${minutes <= 1 ? "a minute" : `${minutes} minutes`}.`;
}

function limiter(limited: Limited, by: CountedBy): RateLimiter {
  const name = `${limited}:${by}`;
  let found = limiters.get(name);
  if (!found) {
    const limits: Partial<Record<CountedBy, Limit>> = LIMITS[limited];
    const limit = limits[by];
    if (!limit) throw new Error(`There is no limit of ${limited} by ${by}.`);
    found = new RateLimiter(name, limit);
    limiters.set(name, found);
  }
  return found;
}

/** An account is counted under a digest, so that the table holds no addresses. */
function digest(account: string): string {
  return createHash("sha256").update(account).digest("base64url").slice(0, 32);
}
