import { availableParallelism } from "node:os";
import argon2 from "argon2";
import { libuvThreads } from "~/env.server";
import type { ClientNetworks } from "~/http/client-network.server";
import { FairQueue } from "~/http/fair-queue.server";
import { exposeHashQueue } from "~/observability/metrics.server";
import { yieldToOtherThreads } from "./hash-threads.server";

/** OWASP's minimum for argon2id: 19 MiB, two passes, one lane. */
const PARAMETERS = {
  type: argon2.argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
} as const;

/** Leaves one core free for rendering pages, unless the threads that hash yield to it. */
const CONCURRENCY = Math.max(1, availableParallelism() - 1);

/** With each hash at a time, how many may wait: about a second's work, so that no client times out in the queue. */
const WAITING_PER_HASH = 40;

/** When it makes sense to try again after a QueueFull, in seconds. */
export const HASH_RETRY_SECONDS = 5;

const limitsFor = (concurrency: number) => ({
  concurrency,
  maxWaiting: WAITING_PER_HASH * concurrency,
});

const queue = new FairQueue(limitsFor(CONCURRENCY));
exposeHashQueue(() => queue.running + queue.waiting);

/** Whether the queue has room for a password from this network; checked before other work is done for it. */
export function hasHashQueueCapacity(network?: ClientNetworks): boolean {
  return queue.hasRoomFor(network);
}

/** Hashes a password with argon2id; the result includes its salt and parameters. Throws QueueFull. */
export async function hashPassword(password: string, network?: ClientNetworks): Promise<string> {
  return queue.run(network, () => argon2.hash(composed(password), PARAMETERS));
}

/**
 * In the form in which systems that write "ä" as one character or as two agree (Unicode NFC; RFC 8265, 4.2.2), so that a
 * password is right wherever it is typed.
 */
const composed = (password: string) => password.normalize("NFC");

let decoy: Promise<string> | undefined;

/**
 * Whether a password matches a hash. Without a hash (no such account) it does the same work with a decoy hash
 * and returns false, so that timing does not reveal whether an address is known. Throws QueueFull.
 */
export async function verifyPassword(
  hash: string | null,
  password: string,
  network?: ClientNetworks,
): Promise<boolean> {
  const against = hash ?? (await decoyHash());
  const fits = (form: string) => queue.run(network, () => argon2.verify(against, form));
  const form = composed(password);
  const isRight =
    (await fits(form)) ||
    // hashed as it was typed, before passwords were composed
    (form !== password && (await fits(password)));
  return hash !== null && isRight;
}

/** Creates the decoy hash, so that the first unknown address is no slower than later ones. */
export async function warmUpPasswords(): Promise<void> {
  await decoyHash();
}

/** Lets hashes take every core, for as long as nothing else wants it; where that is not possible, all but one. */
export async function hashOnAllCores(): Promise<void> {
  if (await yieldToOtherThreads())
    queue.setLimits(limitsFor(hashesOnAllCores(availableParallelism(), libuvThreads())));
}

/** How many at a time then: one for each core, but of libuv's threads one is left for other work. At least one. */
export function hashesOnAllCores(cores: number, threads: number): number {
  return Math.max(1, Math.min(cores, threads - 1));
}

function decoyHash(): Promise<string> {
  decoy ??= argon2.hash("a password nobody has", PARAMETERS);
  return decoy;
}

/** Whether a hash was created with outdated parameters and should be renewed. */
export function needsRehash(hash: string): boolean {
  return argon2.needsRehash(hash, PARAMETERS);
}
