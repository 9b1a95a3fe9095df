import { availableParallelism } from "node:os";
import argon2 from "argon2";
import type { ClientNetworks } from "~/http/client-network.server";
import { FairQueue } from "~/http/fair-queue.server";
import { exposeHashQueue } from "~/observability/metrics.server";

/** OWASP's minimum for argon2id: 19 MiB, two passes, one lane. */
const PARAMETERS = {
  type: argon2.argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
} as const;

/** One core stays free for the pages, whatever is hashed. */
const CONCURRENCY = Math.max(1, availableParallelism() - 1);

/** Hashes that may wait: about a second's work, so that whoever waits is still there. */
const MAX_WAITING = 40 * CONCURRENCY;

/** When it makes sense to try again after a QueueFull, in seconds. */
export const HASH_RETRY_SECONDS = 5;

const queue = new FairQueue({ concurrency: CONCURRENCY, maxWaiting: MAX_WAITING });
exposeHashQueue(() => queue.running + queue.waiting);

/** Whether a password of this network would be hashed now; asked before other work is done for it. */
export function hasPlaceInQueue(network?: ClientNetworks): boolean {
  return queue.hasRoomFor(network);
}

/** Hashes a password with argon2id; the answer carries its own salt and parameters. Throws QueueFull. */
export async function hashPassword(password: string, network?: ClientNetworks): Promise<string> {
  return queue.run(network, () => argon2.hash(password, PARAMETERS));
}

let decoy: Promise<string> | undefined;

/**
 * Whether a password fits a hash. Without a hash (no such account) it does the same work against a
 * decoy and answers false, so that the time taken does not tell whether an address is known. Throws
 * QueueFull.
 */
export async function verifyPassword(
  hash: string | null,
  password: string,
  network?: ClientNetworks,
): Promise<boolean> {
  const against = hash ?? (await decoyHash());
  const fits = await queue.run(network, () => argon2.verify(against, password));
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
