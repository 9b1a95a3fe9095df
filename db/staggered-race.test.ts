import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { raceStaggered } from "./staggered-race";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Attempts that a test ends; `begun` has the numbers of those that began. */
function attempts(count: number) {
  const begun: number[] = [];
  const discarded: string[] = [];
  const ends: { resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
  const all = Array.from({ length: count }, (_, index) => () => {
    begun.push(index);
    return new Promise<string>((resolve, reject) => {
      ends[index] = { resolve, reject };
    });
  });
  const race = raceStaggered(all, 300, (late) => discarded.push(late));
  return {
    begun,
    discarded,
    race,
    succeed: (index: number) => ends[index]?.resolve(`number ${index}`),
    fail: (index: number) => ends[index]?.reject(new Error(`number ${index} failed`)),
  };
}

it("asks only the first while that answers in time", async () => {
  const { begun, race, succeed } = attempts(3);
  await vi.advanceTimersByTimeAsync(299);
  succeed(0);
  expect(await race).toBe("number 0");
  await vi.advanceTimersByTimeAsync(5_000);
  expect(begun).toEqual([0]);
});

it("asks the next one as well after a while, and at once if one fails", async () => {
  const { begun, race, succeed, fail } = attempts(4);
  await vi.advanceTimersByTimeAsync(300);
  expect(begun).toEqual([0, 1]);
  fail(1);
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual([0, 1, 2]);
  // one that began before and fails later starts none a second time
  fail(0);
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual([0, 1, 2]);
  await vi.advanceTimersByTimeAsync(300);
  expect(begun).toEqual([0, 1, 2, 3]);
  succeed(2);
  expect(await race).toBe("number 2");
});

it("discards what comes late", async () => {
  const { discarded, race, succeed } = attempts(2);
  await vi.advanceTimersByTimeAsync(300);
  succeed(1);
  expect(await race).toBe("number 1");
  succeed(0);
  await vi.advanceTimersByTimeAsync(0);
  expect(discarded).toEqual(["number 0"]);
});

it("fails when all have, with their errors in order", async () => {
  const { race, fail } = attempts(2);
  const failed = race.catch((errors: Error[]) => errors.map(({ message }) => message));
  await vi.advanceTimersByTimeAsync(300);
  fail(1);
  fail(0);
  expect(await failed).toEqual(["number 0 failed", "number 1 failed"]);
});
