import { describe, expect, it } from "vitest";
import { coalesce } from "./coalesce.server";

/** Work that goes on until it is let go, and what it was told. */
function held() {
  let letGo = () => {};
  const until = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  return { until, letGo };
}

describe("shared work", () => {
  it("runs once for all who come before it begins, and again for those who come after", async () => {
    const first = held();
    let runs = 0;
    const work = async () => {
      runs++;
      if (runs === 1) await first.until;
      return runs;
    };
    const running = coalesce("one", work);
    await expect.poll(() => runs).toBe(1);
    const late = Array.from({ length: 100 }, () => coalesce("one", work));
    first.letGo();
    expect(await running).toBe(1);
    expect(new Set(await Promise.all(late))).toEqual(new Set([2]));
    expect(await coalesce("one", work)).toBe(3);
  });

  it("fails for all who share it, and not for those who come after", async () => {
    const fail = () => Promise.reject(new Error("Stripe is away."));
    const outcomes = await Promise.allSettled([coalesce("two", fail), coalesce("two", fail)]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await coalesce("two", async () => "done")).toBe("done");
  });
});
