import { describe, expect, it } from "vitest";
import { coalesce } from "./coalesce.server";

/** A promise that stays pending opened `release` is called. */
function gate() {
  let release = () => {};
  const opened = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { opened, release };
}

describe("coalesced work", () => {
  it("runs once for all callers before it starts, and again for callers after that", async () => {
    const first = gate();
    let runs = 0;
    const work = async () => {
      runs++;
      if (runs === 1) await first.opened;
      return runs;
    };
    const running = coalesce("one", work);
    await expect.poll(() => runs).toBe(1);
    const late = Array.from({ length: 100 }, () => coalesce("one", work));
    first.release();
    expect(await running).toBe(1);
    expect(new Set(await Promise.all(late))).toEqual(new Set([2]));
    expect(await coalesce("one", work)).toBe(3);
  });

  it("never runs twice at once, whoever comes while the next run is active", async () => {
    const gates = [gate(), gate(), gate()];
    let active = 0;
    let most = 0;
    let started = 0;
    const work = async () => {
      most = Math.max(most, ++active);
      await gates[started++]?.opened;
      active--;
    };
    const first = coalesce("three", work);
    await expect.poll(() => started).toBe(1);
    const second = coalesce("three", work);
    gates[0]?.release();
    await first;
    await expect.poll(() => started).toBe(2);
    const third = coalesce("three", work);
    gates[2]?.release();
    // a turn of the event loop, in which a third run would start
    await new Promise((resolve) => setImmediate(resolve));
    expect(started).toBe(2);
    gates[1]?.release();
    await Promise.all([second, third]);
    expect([started, most]).toEqual([3, 1]);
  });

  it("fails for all callers that share it, but not for later ones", async () => {
    const fail = () => Promise.reject(new Error("Stripe is away."));
    const outcomes = await Promise.allSettled([coalesce("two", fail), coalesce("two", fail)]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await coalesce("two", async () => "done")).toBe("done");
  });
});
