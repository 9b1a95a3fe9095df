import { describe, expect, it } from "vitest";
import { coalesce } from "./coalesce.server";

/** Returns a promise that stays pending until `release` is called. */
function gate() {
  let release = () => {};
  const opened = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { opened, release };
}

describe("coalesce", () => {
  it("runs once for all callers before the start, and again for later ones", async () => {
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

  it("rejects for all callers that share a run, but not for later ones", async () => {
    const fail = () => Promise.reject(new Error("Stripe is away."));
    const outcomes = await Promise.allSettled([coalesce("two", fail), coalesce("two", fail)]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await coalesce("two", async () => "done")).toBe("done");
  });
});
