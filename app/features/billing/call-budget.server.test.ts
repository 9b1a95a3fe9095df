import { describe, expect, it } from "vitest";
import { CallBudget, CallBudgetExhausted } from "./call-budget.server";
import type { CallPurpose } from "./call-purpose.server";

const WAIT_MS = 500;

function newBudget(limits: Partial<ConstructorParameters<typeof CallBudget>[0]> = {}) {
  return new CallBudget({
    perSecond: 50,
    perEndpoint: 50,
    concurrency: 50,
    maxWaitMs: { webhook: WAIT_MS, checkout: WAIT_MS, membership: WAIT_MS, background: 60_000 },
    ...limits,
  });
}

const call = (purpose: CallPurpose, endpoint = "GET /v1/subscriptions") => ({ purpose, endpoint });

/** Returns the maximum number of calls started within any second. */
function maxInASecond(times: number[]): number {
  return Math.max(
    ...times.map((from) => times.filter((at) => at >= from && at < from + 990).length),
  );
}

describe("the call budget", () => {
  it("limits the calls per second", async () => {
    const budget = newBudget();
    const times: number[] = [];
    const begin = async () => void times.push(Date.now());
    await Promise.all(Array.from({ length: 60 }, () => budget.run(call("background"), begin)));
    expect(maxInASecond(times)).toBeLessThanOrEqual(50);
  });

  it("limits the calls per second to an endpoint without delaying others", async () => {
    const budget = newBudget({ perEndpoint: 10 });
    const times = new Map<string, number[]>([
      ["GET /v1/subscriptions", []],
      ["POST /v1/customers", []],
    ]);
    await Promise.all(
      [...times].flatMap(([endpoint, of]) =>
        Array.from({ length: 12 }, () =>
          budget.run(call("background", endpoint), async () => void of.push(Date.now())),
        ),
      ),
    );
    for (const of of times.values()) expect(maxInASecond(of)).toBeLessThanOrEqual(10);
    const [one = [], other = []] = times.values();
    // interleaved, not one endpoint after the other
    expect(other[0] ?? 0).toBeLessThan(one.at(-1) ?? 0);
  });

  it("starts the most urgent queued calls first", async () => {
    const maxWaitMs = { webhook: 60_000, checkout: 60_000, membership: 60_000, background: 60_000 };
    const budget = newBudget({ perSecond: 10, perEndpoint: 10, maxWaitMs });
    const order: CallPurpose[] = [];
    const purposes: CallPurpose[] = ["background", "membership", "checkout", "webhook"];
    await budget.run(call("background"), async () => {});
    await Promise.all(
      purposes.map((purpose) => budget.run(call(purpose), async () => void order.push(purpose))),
    );
    expect(order).toEqual(["webhook", "checkout", "membership", "background"]);
  });

  it("limits concurrent calls, however slow they are", async () => {
    const budget = newBudget({ concurrency: 3 });
    let inFlight = 0;
    let most = 0;
    const slow = async () => {
      inFlight++;
      most = Math.max(most, inFlight);
      await new Promise((resolve) => setTimeout(resolve, 50));
      inFlight--;
    };
    await Promise.all(Array.from({ length: 9 }, () => budget.run(call("background"), slow)));
    expect(most).toBe(3);
  });

  it("rejects a call that would wait too long, but accepts more urgent ones", async () => {
    const budget = newBudget({ perSecond: 10, perEndpoint: 10 });
    const calls = Array.from({ length: 20 }, () =>
      budget.run(call("membership"), async () => "made").catch((error: unknown) => error),
    );
    await expect(budget.run(call("membership"), async () => "made")).rejects.toThrow(
      CallBudgetExhausted,
    );
    expect(await budget.run(call("webhook"), async () => "made")).toBe("made");
    await Promise.all(calls);
    expect(budget.waiting).toBe(0);
  });

  it("drops a call that waits too long behind a slow one", async () => {
    const budget = newBudget({ concurrency: 1 });
    let end = () => {};
    const slowCall = budget.run(call("webhook"), () => new Promise<void>((done) => (end = done)));
    await expect(budget.run(call("checkout"), async () => "made")).rejects.toThrow(
      CallBudgetExhausted,
    );
    end();
    await slowCall;
    expect(await budget.run(call("checkout"), async () => "made")).toBe("made");
  });

  it("makes no call before the last pause ends", async () => {
    const budget = newBudget();
    const startedAt = Date.now();
    budget.pause(200);
    budget.pause(100);
    await budget.run(call("webhook"), async () => {});
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(190);
  });

  it("rejects a call that a pause would delay too long", async () => {
    const budget = newBudget();
    budget.pause(WAIT_MS + 1_000);
    await expect(budget.run(call("webhook"), async () => {})).rejects.toThrow(CallBudgetExhausted);
  });

  it("rejects with a call's error and frees its slot", async () => {
    const budget = newBudget({ concurrency: 1 });
    const fail = () => Promise.reject(new Error("Stripe is away."));
    await expect(budget.run(call("checkout"), fail)).rejects.toThrow("Stripe is away.");
    expect(await budget.run(call("checkout"), async () => "made")).toBe("made");
  });
});
