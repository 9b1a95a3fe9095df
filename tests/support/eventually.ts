import { vi } from "vitest";
import { EFFECT_TIMEOUT } from "./effect-timeout.mjs";

/**
 * Repeats a check until it passes, and returns its result. `vi.waitFor` gives up after a second, which is too
 * short for a busy machine.
 *
 * @throws the check's last error, after the timeout
 */
export const eventually = <T>(
  check: () => T | Promise<T>,
  options: Partial<typeof EFFECT_TIMEOUT> = {},
): Promise<T> => vi.waitFor(check, { ...EFFECT_TIMEOUT, ...options });
