import { vi } from "vitest";
import { EFFECT_TIMEOUT } from "./effect-timeout.mjs";

/**
 * Repeats a check until it passes, and returns its result. Unlike `vi.waitFor` by itself, which gives up after a
 * second, it is not a test of the machine's speed.
 *
 * @throws the check's last error, after the timeout
 */
export const eventually = <T>(
  check: () => T | Promise<T>,
  options: Partial<typeof EFFECT_TIMEOUT> = {},
): Promise<T> => vi.waitFor(check, { ...EFFECT_TIMEOUT, ...options });
