import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { callPurpose, withCallPurpose } from "./call-purpose.server";

describe("the purpose of calls to Stripe", () => {
  it("holds until the work ends, also after work within it has ended or failed", async () => {
    const seen: string[] = [];
    const note = async () => {
      await setImmediate();
      seen.push(callPurpose());
    };
    await withCallPurpose("checkout", async () => {
      await note();
      await withCallPurpose("webhook", note);
      await note();
      const failing = withCallPurpose("membership", async () => {
        await note();
        throw new Error("on purpose");
      });
      await failing.catch(note);
    });
    await note();
    const inside = ["checkout", "webhook", "checkout", "membership", "checkout"];
    expect(seen).toEqual([...inside, "background"]);
  });

  it("is each one's own when many run at once, begin and end", async () => {
    const purposes = ["webhook", "checkout", "membership", "background"] as const;
    const works = Array.from({ length: 200 }, async (_, index) => {
      const purpose = purposes[index % purposes.length] ?? "background";
      for (let wait = index % 7; wait > 0; wait--) await setImmediate();
      return withCallPurpose(purpose, async () => {
        const seen = new Set<string>();
        for (let step = index % 11; step >= 0; step--) {
          await setImmediate();
          seen.add(callPurpose());
        }
        return { purpose, seen: [...seen] };
      });
    });
    for (const { purpose, seen } of await Promise.all(works)) expect(seen).toEqual([purpose]);
  });
});
