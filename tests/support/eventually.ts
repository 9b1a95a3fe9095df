import { vi } from "vitest";

/**
 * How long an effect may take on a busy machine, in milliseconds; the tests' `expect.poll` waits as long. Mutation
 * tests set less: there, what is awaited often never comes.
 */
const TIMEOUT_MS = Number(process.env.EFFECT_TIMEOUT_MS ?? 20_000);

/**
 * Repeats a check until it passes, and returns its result. Unlike `vi.waitFor` by itself, which gives up after a
 * second, it is not a test of the machine's speed.
 *
 * @throws the check's last error, after the timeout
 */
export const eventually = <T>(
  check: () => T | Promise<T>,
  { timeout = TIMEOUT_MS, interval = 50 } = {},
): Promise<T> => vi.waitFor(check, { timeout, interval });
