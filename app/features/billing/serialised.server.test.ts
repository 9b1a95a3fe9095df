import { describe, expect, it } from "vitest";
import { callingFor, callPurpose } from "./call-purpose.server";
import { serialised, sharedInOrder, sharedSerialised } from "./serialised.server";

/** Work that goes on until it is let go, and what it was told. */
function held() {
  let letGo = () => {};
  const until = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  return { until, letGo };
}

describe.each([
  ["with a connection", sharedSerialised],
  ["without one", sharedInOrder],
])("shared work %s", (_how, shared) => {
  it("runs once for all who come before it begins, and again for those who come after", async () => {
    const first = held();
    let runs = 0;
    const work = async () => {
      runs++;
      if (runs === 1) await first.until;
      return runs;
    };
    const running = shared("one", work);
    await expect.poll(() => runs).toBe(1);
    const late = Array.from({ length: 100 }, () => shared("one", work));
    first.letGo();
    expect(await running).toBe(1);
    expect(new Set(await Promise.all(late))).toEqual(new Set([2]));
    expect(await shared("one", work)).toBe(3);
  });

  it("fails for all who share it, and not for those who come after", async () => {
    const fail = () => Promise.reject(new Error("Stripe is away."));
    const outcomes = await Promise.allSettled([shared("two", fail), shared("two", fail)]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await shared("two", async () => "done")).toBe("done");
  });
});

describe("serialised work", () => {
  it("of the most urgent purpose goes first, and keeps its purpose", async () => {
    const holds = Array.from({ length: 5 }, held);
    const running = holds.map(({ until }, i) =>
      callingFor("background", () => serialised(`holds a place ${i}`, () => until)),
    );
    const order: string[] = [];
    const note = async () => void order.push(callPurpose());
    const waiting = (["background", "membership", "checkout", "webhook"] as const).map((purpose) =>
      callingFor(purpose, () => serialised(`waits for ${purpose}`, note)),
    );
    // what is queued takes a turn of the event loop to stand in line
    await new Promise((resolve) => setImmediate(resolve));
    holds[0]?.letGo();
    await Promise.all(waiting);
    expect(order).toEqual(["webhook", "checkout", "membership", "background"]);
    for (const { letGo } of holds) letGo();
    await Promise.all(running);
  });
});
