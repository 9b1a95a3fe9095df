import { describe, expect, it } from "vitest";
import { inParallel } from "./in-parallel";

describe("work in parallel", () => {
  it("is done for each item, 25 at a time", async () => {
    let active = 0;
    let most = 0;
    const done: number[] = [];
    await inParallel([...Array(60).keys()], async (item) => {
      most = Math.max(most, ++active);
      await new Promise((resolve) => setImmediate(resolve));
      active--;
      done.push(item);
    });
    expect(done.toSorted((a, b) => a - b)).toEqual([...Array(60).keys()]);
    expect(most).toBe(25);
  });

  it("fails with the first error, and starts no more after it", async () => {
    let started = 0;
    const failing = inParallel([...Array(200).keys()], async (item) => {
      started++;
      await new Promise((resolve) => setImmediate(resolve));
      if (item === 3) throw new Error("Item 3 is broken.");
    });
    await expect(failing).rejects.toThrow("Item 3 is broken.");
    const startedByThen = started;
    // in each turn of the event loop another would start
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(started).toBe(startedByThen);
    expect(started).toBeLessThan(200);
  });
});
