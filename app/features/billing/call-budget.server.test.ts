import { describe, expect, it } from "vitest";
import { CallBudget, CallBudgetExhausted } from "./call-budget.server";
import type { CallPurpose } from "./call-purpose.server";

const WAIT_MS = 2_000;

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

/** The largest number of calls started within any one second. */
function maxInASecond(times: number[]): number {
  return Math.max(
    ...times.map((from) => times.filter((at) => at >= from && at < from + 990).length),
  );
}

describe("a budget of calls", () => {
  it("starts no more calls a second than its limit, spread over the second", async () => {
    const budget = newBudget();
    const times: number[] = [];
    const begin = async () => void times.push(Date.now());
    // not the first call's time: on a busy machine that is read a while after the budget has counted it
    const askedAt = Date.now();
    await Promise.all(Array.from({ length: 90 }, () => budget.run(call("background"), begin)));
    expect(maxInASecond(times)).toBeLessThanOrEqual(50);
    expect(times.filter((at) => at < askedAt + 90)).toHaveLength(5);
    expect((times.at(-1) ?? 0) - askedAt).toBeLessThan(5_000);
  });

  it("limits the calls a second to one endpoint without delaying other endpoints", async () => {
    const budget = newBudget({ perEndpoint: 10 });
    const times = new Map<string, number[]>([
      ["GET /v1/subscriptions", []],
      ["POST /v1/customers", []],
    ]);
    await Promise.all(
      [...times].flatMap(([endpoint, of]) =>
        Array.from({ length: 15 }, () =>
          budget.run(call("background", endpoint), async () => void of.push(Date.now())),
        ),
      ),
    );
    for (const of of times.values()) expect(maxInASecond(of)).toBeLessThanOrEqual(10);
    const [one = [], other = []] = times.values();
    // Interleaved, not one endpoint after the other.
    expect(other[0] ?? 0).toBeLessThan(one.at(-1) ?? 0);
  });

  it("starts the most urgent of the queued calls first", async () => {
    const budget = newBudget({ perSecond: 10, perEndpoint: 10 });
    const order: CallPurpose[] = [];
    const purposes: CallPurpose[] = ["background", "membership", "checkout", "webhook"];
    await budget.run(call("background"), async () => {});
    await Promise.all(
      purposes.map((purpose) => budget.run(call(purpose), async () => void order.push(purpose))),
    );
    expect(order).toEqual(["webhook", "checkout", "membership", "background"]);
  });

  it("keeps to its concurrency limit, however slow the calls are", async () => {
    const budget = newBudget({ concurrency: 3 });
    let inFlight = 0;
    let most = 0;
    const slow = async () => {
      inFlight++;
      most = Math.max(most, inFlight);
      await new Promise((resolve) => setTimeout(resolve, 150));
      inFlight--;
    };
    await Promise.all(Array.from({ length: 9 }, () => budget.run(call("checkout"), slow)));
    expect(most).toBe(3);
  });

  it("rejects at once a call that would wait too long, and still accepts more urgent ones", async () => {
    const budget = newBudget({ perSecond: 10, perEndpoint: 10 });
    const calls = Array.from({ length: 60 }, () =>
      budget.run(call("membership"), async () => "made").catch((error: unknown) => error),
    );
    const startedAt = Date.now();
    const rejection = await budget.run(call("membership"), async () => "made").catch((e) => e);
    expect(rejection).toBeInstanceOf(CallBudgetExhausted);
    expect(Date.now() - startedAt).toBeLessThan(100);
    expect(await budget.run(call("webhook"), async () => "made")).toBe("made");
    expect(Date.now() - startedAt).toBeLessThan(1_000);
    expect(budget.waiting).toBeLessThanOrEqual(21);

    const outcomes = await Promise.all(calls);
    expect(outcomes.filter((outcome) => outcome === "made").length).toBeGreaterThan(15);
    expect(Date.now() - startedAt).toBeLessThan(2 * WAIT_MS);
    expect(budget.waiting).toBe(0);
  });

  it("drops a call that has waited too long behind more urgent ones", async () => {
    const budget = newBudget({ perSecond: 10, perEndpoint: 10, concurrency: 1 });
    const slowCall = budget.run(
      call("webhook"),
      () => new Promise((done) => setTimeout(done, 3_000)),
    );
    const startedAt = Date.now();
    await expect(budget.run(call("checkout"), async () => "made")).rejects.toThrow(
      CallBudgetExhausted,
    );
    expect(Date.now() - startedAt).toBeLessThan(2_900);
    await slowCall;
    expect(await budget.run(call("checkout"), async () => "made")).toBe("made");
  });

  it("makes no call while it is paused, and resumes by itself", async () => {
    const budget = newBudget();
    budget.pause(300);
    const startedAt = Date.now();
    await budget.run(call("webhook"), async () => {});
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(290);
  });

  it("is paused until the last of several pauses ends, in whichever order they come", async () => {
    for (const pauses of [
      [400, 100],
      [100, 400],
    ]) {
      const budget = newBudget();
      const startedAt = Date.now();
      for (const milliseconds of pauses) budget.pause(milliseconds);
      await budget.run(call("webhook"), async () => {});
      expect(Date.now() - startedAt).toBeGreaterThanOrEqual(390);
    }
  });

  it("rejects at once a call that a pause would hold back too long", async () => {
    const budget = newBudget();
    budget.pause(WAIT_MS + 1_000);
    const startedAt = Date.now();
    await expect(budget.run(call("webhook"), async () => {})).rejects.toThrow(CallBudgetExhausted);
    expect(Date.now() - startedAt).toBeLessThan(1_000);
  });

  it("makes a call that may not wait if none is ahead of it", async () => {
    const budget = newBudget({
      maxWaitMs: { webhook: 0, checkout: 0, membership: 0, background: 0 },
    });
    expect(await budget.run(call("webhook"), async () => "made")).toBe("made");
  });

  it("expects a call to wait for those at its own endpoint, and for all others only in total", async () => {
    const budget = newBudget({ perSecond: 50, perEndpoint: 5 });
    const made: Promise<unknown>[] = [];
    const add = (endpoint: string) => {
      const running = budget.run(call("webhook", endpoint), async () => "made");
      made.push(running.catch((error: unknown) => error));
      return running;
    };
    // more than two seconds' worth of one endpoint, less than half a second's worth of all
    for (let i = 0; i < 12; i++) add("GET /v1/prices").catch(() => {});
    const startedAt = Date.now();
    await expect(add("GET /v1/prices")).rejects.toThrow(CallBudgetExhausted);
    expect(Date.now() - startedAt).toBeLessThan(WAIT_MS / 2);
    expect(await add("GET /v1/invoices")).toBe("made");
    await Promise.all(made);
  });

  it("expects a call to wait for those at other endpoints too", async () => {
    const budget = newBudget({ perSecond: 10, perEndpoint: 10 });
    const made = Array.from({ length: 24 }, (_, i) =>
      budget.run(call("webhook", `GET /v1/${i}`), async () => "made").catch(() => "rejected"),
    );
    const startedAt = Date.now();
    await expect(budget.run(call("webhook"), async () => "made")).rejects.toThrow(
      CallBudgetExhausted,
    );
    expect(Date.now() - startedAt).toBeLessThan(WAIT_MS / 2);
    await Promise.all(made);
  });

  it("passes on a call's error and frees its slot", async () => {
    const budget = newBudget({ concurrency: 1 });
    const fail = () => Promise.reject(new Error("Stripe is away."));
    await expect(budget.run(call("checkout"), fail)).rejects.toThrow("Stripe is away.");
    expect(await budget.run(call("checkout"), async () => "made")).toBe("made");
  });
});
