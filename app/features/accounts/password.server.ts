import { availableParallelism } from "node:os";
import argon2 from "argon2";
import pLimit from "p-limit";
import { exposeHashQueue } from "~/server/metrics.server";

/** OWASP's minimum for argon2id: 19 MiB, two passes, one lane. */
const PARAMETERS = {
  type: argon2.argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
} as const;

/** One core stays free for the pages, whatever is hashed. */
const AT_ONCE = Math.max(1, availableParallelism() - 1);

/** Hashes that may wait: about a second's work, so that whoever waits is still there. */
const WAITING_AT_MOST = 40 * AT_ONCE;

/** More passwords are waiting to be hashed than the site takes on; nothing was done. */
export class TooManyHashes extends Error {
  override name = "TooManyHashes";
  /** When it makes sense to try again, in seconds. */
  readonly retryAfter = 5;
}

const queue = pLimit(AT_ONCE);
exposeHashQueue(() => queue.activeCount + queue.pendingCount);

/** Throws TooManyHashes when no password would be taken now, before any other work is done for it. */
export function requirePlaceInQueue(): void {
  if (queue.pendingCount >= WAITING_AT_MOST) throw new TooManyHashes();
}

/** Runs work in the queue; throws TooManyHashes when it is full. */
function queued<Result>(work: () => Promise<Result>): Promise<Result> {
  requirePlaceInQueue();
  return queue(work);
}

/** Hashes a password with argon2id; the answer carries its own salt and parameters. Throws TooManyHashes. */
export async function hashPassword(password: string): Promise<string> {
  return queued(() => argon2.hash(password, PARAMETERS));
}

let decoy: Promise<string> | undefined;

/**
 * Whether a password fits a hash. Without a hash (no such account) it does the same work against a
 * decoy and answers false, so that the time taken does not tell whether an address is known. Throws
 * TooManyHashes.
 */
export async function verifyPassword(hash: string | null, password: string): Promise<boolean> {
  const against = hash ?? (await decoyHash());
  const fits = await queued(() => argon2.verify(against, password));
  return hash !== null && fits;
}

/** Prepares the decoy, so that the first unknown address is no slower than the rest. */
export async function warmUpPasswords(): Promise<void> {
  await decoyHash();
}

function decoyHash(): Promise<string> {
  decoy ??= argon2.hash("a password nobody has", PARAMETERS);
  return decoy;
}

/** Whether a hash was made under other parameters than today's and should be made again. */
export function needsRehash(hash: string): boolean {
  return argon2.needsRehash(hash, PARAMETERS);
}
