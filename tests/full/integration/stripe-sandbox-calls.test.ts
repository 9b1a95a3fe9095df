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

  test("succeed with stripe-node, which retries after a 409", async () => {
    const sandbox = await openSandbox({ latencyMs: 50 });
    const create = () =>
      sandbox.stripe.customers.create({}, { idempotencyKey: "k", maxNetworkRetries: 3 });
    const [first, second] = await Promise.all([create(), create()]);
    expect(first.id).toBe(second.id);
    expect((await requestsOf(sandbox)).map(({ status }) => status)).toContain(409);
  });
});
