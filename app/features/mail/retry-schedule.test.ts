import { describe, expect, it } from "vitest";
import { retryDelayMs } from "./retry-schedule";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The delays of a mail that keeps failing for a reason, without jitter. */
const delays = (reason: Parameters<typeof retryDelayMs>[0], count: number) =>
  Array.from({ length: count }, (_, earlier) => retryDelayMs(reason, earlier, 0.5));

describe("the retry schedule", () => {
  it("spaces a mail that is refused for now from a minute to half a day, without an end", () => {
    expect(delays("refused", 9)).toEqual([
      1 * MINUTE,
      5 * MINUTE,
      15 * MINUTE,
      1 * HOUR,
      3 * HOUR,
      6 * HOUR,
      12 * HOUR,
      12 * HOUR,
      12 * HOUR,
    ]);
  });

  it("varies a delay by a fifth in either direction", () => {
    expect(retryDelayMs("refused", 0, 0)).toBe(48_000);
    expect(retryDelayMs("refused", 0, 1)).toBe(72_000);
  });
});
