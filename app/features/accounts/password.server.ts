import argon2 from "argon2";

/** OWASP's minimum for argon2id: 19 MiB, two passes, one lane. */
const PARAMETERS = {
  type: argon2.argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
} as const;

/** Hashes a password with argon2id. The answer carries its own salt and parameters. */
export function hashPassword(password: string): Promise<string> {
  return argon2.hash(password, PARAMETERS);
}

let decoy: Promise<string> | undefined;

/**
 * Whether a password fits a hash. Without a hash (no such account) it does the same work against a
 * decoy and answers false, so that the time taken does not tell whether an address is known.
 */
export async function verifyPassword(hash: string | null, password: string): Promise<boolean> {
  decoy ??= hashPassword("a password nobody has");
  const fits = await argon2.verify(hash ?? (await decoy), password);
  return hash !== null && fits;
}

/** Prepares the decoy, so that the first unknown address is no slower than the rest. */
export async function warmUpPasswords(): Promise<void> {
  decoy ??= hashPassword("a password nobody has");
  await decoy;
}

/** Whether a hash was made under other parameters than today's and should be made again. */
export function needsRehash(hash: string): boolean {
  return argon2.needsRehash(hash, PARAMETERS);
}
