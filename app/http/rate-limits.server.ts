import { createHash } from "node:crypto";
import type { AppLoadContext } from "@remix-run/node";
import { env } from "~/env.server";
import { log } from "~/observability/log.server";
import { rateLimited } from "~/observability/metrics.server";
import { logSecurityEvent } from "~/observability/security-log.server";
import { clientNetworks } from "./client-network.server";
import { countInDatabase, countLocally, type Limit, RateLimiter } from "./rate-limiter.server";

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** The unit that an attempt is counted by. */
export type CountedBy =
  /** The client's narrow network, across all accounts. */
  | "network"
  /** The wide network around it. */
  | "wide-network"
  /** The account together with the narrow network, so that a flood from elsewhere locks nobody out. */
  | "account-from-network"
  /** The account together with the wide network, so that one network cannot exhaust the next limit alone. */
  | "account-from-wide-network"
  /** The account, from browsers anywhere that have never signed in to it. */
  | "account"
  /** The account together with a browser that has signed in to it before; no other limit applies then. */
  | "known-browser";

/** The limits of a client's narrow network and of the wide one around it, each within so many seconds. */
const networks = ({ narrow, wide }: { narrow: number; wide: number }, seconds: number) => ({
  network: { attempts: narrow, seconds },
  "wide-network": { attempts: wide, seconds },
});

/** A wide network may be many households, or one customer with as many addresses as it likes. */
const LIMITS = {
  login: {
    ...networks({ narrow: 50, wide: 100 }, 15 * MINUTE),
    "account-from-network": { attempts: 10, seconds: 15 * MINUTE },
    "account-from-wide-network": { attempts: 15, seconds: 15 * MINUTE },
    // limits distributed guessing; docs/security.md states how many guesses that allows
    account: { attempts: 100, seconds: HOUR },
    "known-browser": { attempts: 10, seconds: 15 * MINUTE },
  },
  signup: {
    ...networks({ narrow: 20, wide: 100 }, HOUR),
    "account-from-network": { attempts: 10, seconds: HOUR },
  },
  // the mail sent to one person is limited where it is sent
  reset: {
    ...networks({ narrow: 20, wide: 60 }, HOUR),
    "account-from-network": { attempts: 5, seconds: HOUR },
    "known-browser": { attempts: 5, seconds: HOUR },
  },
  "new-password": networks({ narrow: 30, wide: 100 }, HOUR),
  // passwords entered in a session before a sensitive change
  "verify-identity": { account: { attempts: 10, seconds: 15 * MINUTE } },
  // confirmation mails, counted for the account that asks and for each new address
  "email-link": { account: { attempts: 6, seconds: HOUR } },
  // each reads everything about an account
  "account-data": { account: { attempts: 30, seconds: HOUR } },
  // each is read and decoded; only the signed-in owner of the account can exhaust it
  picture: { account: { attempts: 30, seconds: HOUR } },
  // answers with a passkey; whose it is shows only in the answer
  passkey: networks({ narrow: 50, wide: 100 }, 15 * MINUTE),
  // each passkey that is added or removed is also a mail to the account's owner
  "passkey-change": { account: { attempts: 40, seconds: HOUR } },
  // each is a mail to the address entered, and one to the operator
  cancellation: {
    ...networks({ narrow: 20, wide: 60 }, HOUR),
    account: { attempts: 6, seconds: HOUR },
  },
  newsletter: {
    ...networks({ narrow: 30, wide: 300 }, HOUR),
    "account-from-network": { attempts: 10, seconds: HOUR },
  },
  // only the signed-in owner of the account can exhaust these
  checkout: {
    ...networks({ narrow: 300, wide: 1_200 }, HOUR),
    account: { attempts: 120, seconds: HOUR },
  },
  portal: {
    ...networks({ narrow: 300, wide: 1_200 }, HOUR),
    account: { attempts: 30, seconds: HOUR },
  },
  // polls whether a payment has arrived; the page that waits for one polls nine times
  confirmation: {
    ...networks({ narrow: 300, wide: 1_200 }, HOUR),
    account: { attempts: 60, seconds: HOUR },
  },
  // requests for feeds that do not exist; an app that still polls an ended one asks every few minutes
  podcast: networks({ narrow: 100, wide: 1_000 }, HOUR),
  // only members can exhaust these, so they are counted by account alone
  "podcast-address": { account: { attempts: 30, seconds: HOUR } },
  listening: { account: { attempts: 1_800, seconds: HOUR } },
  // a page being read sends its position every few seconds; only members can, so it is counted once
  progress: { account: { attempts: 3_600, seconds: HOUR } },
  // highlights that are added, changed and deleted
  highlights: { account: { attempts: 3_600, seconds: HOUR } },
  // a page saves once in a second at most, while its member writes
  notes: {
    ...networks({ narrow: 20_000, wide: 80_000 }, HOUR),
    account: { attempts: 3_600, seconds: HOUR },
  },
} as const satisfies Record<string, Partial<Record<CountedBy, Limit>>>;

export type Limited = keyof typeof LIMITS;

/** The client, account and browser that an attempt is counted against. */
export type Attempt = {
  context: AppLoadContext;
  /** Identifies the account: its email address as normalized by `emailSchema`, or its user's id. */
  account?: string | null;
  /** The id of a browser that has signed in to this very account before (`findKnownBrowser`). */
  knownBrowser?: string | null;
};

/** Limiters by name, for each settings object whose factor they use. */
const limitersBySettings = new WeakMap<object, Map<string, RateLimiter>>();

/**
 * Counts an attempt against its limits, which all instances share through the database. Returns null, or the
 * seconds after which to try again. Counting stops at the first limit that rejects, so an attempt rejected
 * for its network does not count against the account it names. While the database is unavailable or too slow,
 * each process counts alone.
 */
export async function checkRateLimit(limited: Limited, attempt: Attempt): Promise<number | null> {
  const attempts = countsOf(limited, attempt);
  for (const { by, key, limiter } of attempts) {
    const wait = limiter.knownWait(key);
    if (wait > 0) return reject(limited, by, wait);
  }
  const rejected = await countInDatabase(attempts).catch((error: unknown) => {
    log().warn({ err: error }, "a rate limit is counted without the database");
    return countLocally(attempts);
  });
  if (!rejected) return null;
  const { by } = rejected.attempt;
  if (rejected.isFirst) {
    const { narrow } = clientNetworks(attempt.context.clientAddress);
    // one line for all rejections until the count is reset
    logSecurityEvent("limit-reached", { limited, by, network: narrow }, "rate limit reached");
  }
  return reject(limited, by, rejected.wait);
}

/** The keys of an attempt, in the order of counting; they contain no email addresses. */
function countsOf(
  limited: Limited,
  { context, account, knownBrowser }: Attempt,
): { by: CountedBy; key: string; limiter: RateLimiter }[] {
  const limits: Partial<Record<CountedBy, Limit>> = LIMITS[limited];
  const { narrow, wide } = clientNetworks(context.clientAddress);
  const who = account ? digest(account) : null;
  const isKnownBrowser = who && knownBrowser && limits["known-browser"];
  // under remix-serve client addresses are unknown, and all visitors would share one network
  const isKnown = context.clientAddress !== undefined;
  const keys: [CountedBy, string | null][] = isKnownBrowser
    ? [["known-browser", `${who}:${knownBrowser}`]]
    : [
        ["network", isKnown ? narrow : null],
        ["wide-network", isKnown ? wide : null],
        ["account-from-network", who && `${who}:${narrow}`],
        ["account-from-wide-network", who && `${who}:${wide}`],
        ["account", who],
      ];
  return keys.flatMap(([by, key]) => {
    const limit = limits[by];
    return key && limit ? [{ by, key, limiter: limiterOf(`${limited}:${by}`, limit) }] : [];
  });
}

function reject(limited: Limited, by: CountedBy, milliseconds: number): number {
  rateLimited.inc({ limited, by });
  return Math.max(1, Math.ceil(milliseconds / 1000));
}

/** The toast's text for a visitor who has to wait. */
export function waitMessage(seconds: number): string {
  const minutes = Math.ceil(seconds / MINUTE);
  return `Too many attempts. Please try again in ${minutes <= 1 ? "a minute" : `${minutes} minutes`}.`;
}

function limiterOf(name: string, limit: Limit): RateLimiter {
  const settings = env();
  const limiters = limitersBySettings.get(settings) ?? new Map<string, RateLimiter>();
  limitersBySettings.set(settings, limiters);
  const limiter = limiters.get(name) ?? new RateLimiter(name, limit);
  limiters.set(name, limiter);
  return limiter;
}

/** Accounts are counted under a digest, so that the table holds no email addresses. */
function digest(account: string): string {
  return createHash("sha256").update(account).digest("base64url").slice(0, 32);
}
