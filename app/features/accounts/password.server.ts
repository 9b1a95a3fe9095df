import { availableParallelism } from "node:os";
import argon2 from "argon2";
import { libuvThreads } from "~/env.server";
import { readEmail } from "~/environment/email-address.server";
import { BoundedQueue } from "~/http/bounded-queue.server";
import { clientNetworks } from "~/http/client-network.server";
import { exposeGauge } from "~/observability/metrics.server";

/** OWASP's minimum for argon2id: 19 MiB, two passes, one lane. */
const PARAMETERS = {
  type: argon2.argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
} as const;

/** Half of libuv's threads; the others read files and compress pages. */
const CONCURRENCY = Math.max(1, Math.min(availableParallelism(), Math.floor(libuvThreads() / 2)));

/** About a second of work, so no client times out in the queue. */
const TASKS_PER_HASH = 40;

const queue = new BoundedQueue({
  concurrency: CONCURRENCY,
  maxTasks: TASKS_PER_HASH * CONCURRENCY,
});
exposeGauge(
  "password_hash_queue_length",
  "Password hashes in progress or waiting",
  () => queue.length,
);

/** Returns whether the queue has room for a password from this network. Check it before doing other work. */
export function hasHashQueueCapacity(network = clientNetworks()): boolean {
  return queue.hasRoomFor(network);
}

/** Hashes a password with argon2id; the result includes its salt and parameters. Throws QueueFull. */
export async function hashPassword(password: string, network = clientNetworks()): Promise<string> {
  return queue.run(network, () => argon2.hash(composed(password), PARAMETERS));
}

/** Longest password that is normalized, in characters: the time grows with the square of the number of accents. */
const MAX_NORMALIZED = 1_000;

/**
 * Normalizes a password to Unicode NFC (RFC 8265, 4.2.2). Systems encode "ä" as one character or two; the password
 * must match on all of them.
 */
const composed = (password: string) =>
  password.length > MAX_NORMALIZED ? password : password.normalize("NFC");

let decoy: Promise<string> | undefined;

/**
 * Returns whether a password matches a hash. Without a hash (no such account) it verifies against a decoy and returns
 * false, so timing does not reveal whether an address is known. Throws QueueFull.
 */
export async function verifyPassword(
  hash: string | null,
  password: string,
  network = clientNetworks(),
): Promise<boolean> {
  const against = hash ?? (await decoyHash());
  const fits = (form: string) => queue.run(network, () => argon2.verify(against, form));
  const form = composed(password);
  const isRight =
    (await fits(form)) ||
    // hashed as typed, before passwords were normalized
    (form !== password && (await fits(password)));
  return hash !== null && isRight;
}

/** Creates the decoy hash in advance, so the first unknown address is no slower than later ones, and loads the list. */
export async function warmUpPasswords(): Promise<void> {
  await Promise.all([decoyHash(), commonPasswords()]);
}

/** How many of the most common passwords are known, in lower case. */
const COMMON_PASSWORDS = 10_000;

let common: Promise<ReadonlySet<string>> | undefined;

function commonPasswords(): Promise<ReadonlySet<string>> {
  common ??= import("@zxcvbn-ts/language-common").then(
    ({ dictionary }) => new Set(dictionary["passwords-common"].slice(0, COMMON_PASSWORDS)),
  );
  return common;
}

/**
 * Whether a password is one of the first that somebody would try: a common one, the account's address, or what is before
 * its @, in capitals or not.
 */
export async function isGuessable(password: string, email: string): Promise<boolean> {
  const form = composed(password).toLowerCase();
  const isAddress = readEmail(password) === email || email.startsWith(`${form}@`);
  return isAddress || (await commonPasswords()).has(form);
}

function decoyHash(): Promise<string> {
  decoy ??= argon2.hash("a password nobody has", PARAMETERS);
  return decoy;
}

/** Returns whether a hash was created with outdated parameters and should be renewed. */
export function needsRehash(hash: string): boolean {
  return argon2.needsRehash(hash, PARAMETERS);
}
