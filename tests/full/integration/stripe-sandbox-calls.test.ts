import Stripe from "stripe";
import { describe, expect, test } from "vitest";
import { openSandbox, type TestSandbox } from "../../support/stripe-sandbox";

async function rejection(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  const error = await call.then(
    () => new Error("It was not rejected."),
    (reason: unknown) => reason,
  );
  if (error instanceof Stripe.errors.StripeError) return error;
  throw error;
}

type Logged = { endpoint: string; status: number; replayed: boolean };

async function requestsOf(sandbox: TestSandbox): Promise<Logged[]> {
  const response = await fetch(`${sandbox.origin}/_control/requests`);
  return ((await response.json()) as { requests: Logged[] }).requests;
}

async function took(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

describe("the latency of a call", () => {
  test("is zero by default, or as configured, without delaying concurrent calls further", async () => {
    const sandbox = await openSandbox({ latencyMs: 1_000 });
    const { stripe } = sandbox;
    const many = () => Promise.all(Array.from({ length: 10 }, () => stripe.customers.create({})));
    expect(await took(many)).toBeGreaterThanOrEqual(990);
    await sandbox.control("settings", { latencyMs: 0 });
    expect(await took(() => stripe.customers.list())).toBeLessThan(900);
    await sandbox.control("settings", { latencyMs: 300 });
    const ten = await took(many);
    expect(ten).toBeGreaterThanOrEqual(295);
    expect(ten).toBeLessThan(2_500);
  });

  test("applies to the API, not to the control API and the pages", async () => {
    const sandbox = await openSandbox({ latencyMs: 5_000 });
    expect(
      await took(async () => {
        await sandbox.control("clock");
        await fetch(`${sandbox.origin}/control`);
      }),
    ).toBeLessThan(4_000);
  });

  test("keeps settings that are not named, and a reset restores the initial one", async () => {
    const sandbox = await openSandbox({ latencyMs: 1 });
    await sandbox.control("settings", { afterRetries: "unpaid" });
    expect(await sandbox.control("settings", { latencyMs: 2 })).toMatchObject({
      afterRetries: "unpaid",
      latencyMs: 2,
    });
    expect(await sandbox.control("reset")).toMatchObject({ latencyMs: 1 });
    await expect(sandbox.control("settings", { latencyMs: 60_001 })).rejects.toThrow("400");
  });
});

describe("a 500 for a request with an idempotency key", () => {
  test.each(["before", "after"])("is replayed for 24 hours: work failed %s", async (when) => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const key = { idempotencyKey: "k" };
    await sandbox.control("faults", { kind: "error", when, match: "POST /v1/customers" });
    expect((await rejection(stripe.customers.create({}, key))).statusCode).toBe(500);
    const again = await rejection(stripe.customers.create({}, key));
    expect(again.statusCode).toBe(500);
    expect(again.headers?.["idempotent-replayed"]).toBe("true");
    expect((await stripe.customers.list()).data).toHaveLength(when === "after" ? 1 : 0);
    expect((await stripe.customers.create({}, { idempotencyKey: "other" })).id).toMatch(/^cus_/);
    await sandbox.control("clock", { days: 1.01 });
    expect((await stripe.customers.create({}, key)).id).toMatch(/^cus_/);
  });

  test("is not retried by stripe-node, because of Stripe's header", async () => {
    const sandbox = await openSandbox();
    await sandbox.control("faults", { kind: "error" });
    const options = { idempotencyKey: "k", maxNetworkRetries: 2 };
    await rejection(sandbox.stripe.customers.create({}, options));
    expect(await requestsOf(sandbox)).toHaveLength(1);
  });

  test.each([429, 400])("is stored, unlike a %i", async (status) => {
    const sandbox = await openSandbox();
    const key = { idempotencyKey: "k" };
    await sandbox.control("faults", { kind: "error", status });
    await rejection(sandbox.stripe.customers.create({}, key));
    expect((await sandbox.stripe.customers.create({}, key)).id).toMatch(/^cus_/);
  });

  test.each(["truncate", "destroy"])("is not stored for a lost response: %s", async (kind) => {
    const sandbox = await openSandbox();
    const key = { idempotencyKey: "k" };
    // stripe-node itself retries once after a lost connection
    await sandbox.control("faults", { kind, when: "after", times: 2 });
    await rejection(sandbox.stripe.customers.create({}, key));
    await sandbox.control("faults/clear");
    const made = await sandbox.stripe.customers.create({}, key);
    expect((await sandbox.stripe.customers.list()).data).toMatchObject([{ id: made.id }]);
  });

  test("is not stored if the connection was closed before the work", async () => {
    const sandbox = await openSandbox();
    const key = { idempotencyKey: "k" };
    await sandbox.control("faults", { kind: "destroy", times: 2 });
    await rejection(sandbox.stripe.customers.create({}, key));
    await sandbox.control("faults/clear");
    expect((await sandbox.stripe.customers.list()).data).toEqual([]);
    expect((await sandbox.stripe.customers.create({}, key)).id).toMatch(/^cus_/);
  });
});

describe("two requests with one idempotency key", () => {
  test("sent concurrently: the second gets a 409 while the first is in flight", async () => {
    const sandbox = await openSandbox({ latencyMs: 200 });
    const { stripe } = sandbox;
    const create = () => stripe.customers.create({}, { idempotencyKey: "k" });
    const outcomes = await Promise.allSettled([create(), create()]);
    const refused = outcomes.flatMap((outcome) =>
      outcome.status === "rejected" ? [outcome.reason as Stripe.errors.StripeError] : [],
    );
    expect(refused).toMatchObject([{ statusCode: 409, code: "idempotency_key_in_use" }]);
    await sandbox.control("settings", { latencyMs: 0 });
    expect((await create()).lastResponse.headers["idempotent-replayed"]).toBe("true");
    expect((await stripe.customers.list()).data).toHaveLength(1);
  });

  test("do so while the first is delayed, too", async () => {
    const sandbox = await openSandbox();
    await sandbox.control("faults", { kind: "slow", ms: 300 });
    const create = () => sandbox.stripe.customers.create({}, { idempotencyKey: "k" });
    const outcomes = await Promise.allSettled([create(), create()]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect((await sandbox.stripe.customers.list()).data).toHaveLength(1);
  });

  test("succeed with stripe-node, which retries after a 409", async () => {
    const sandbox = await openSandbox({ latencyMs: 50 });
    const create = () =>
      sandbox.stripe.customers.create({}, { idempotencyKey: "k", maxNetworkRetries: 3 });
    const [first, second] = await Promise.all([create(), create()]);
    expect(first.id).toBe(second.id);
    expect((await requestsOf(sandbox)).map(({ status }) => status)).toContain(409);
  });
});
