import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Stripe from "stripe";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { CallBudget } from "~/features/billing/call-budget.server";
import { withCallPurpose } from "~/features/billing/call-purpose.server";
import { BudgetedHttpClient } from "~/features/billing/stripe-client.server";
import { metricValue } from "../support/metrics";

const GENEROUS = {
  perSecond: 1_000,
  perEndpoint: 1_000,
  concurrency: 10,
  maxWaitMs: { webhook: 1_000, checkout: 1_000, membership: 1_000, background: 1_000 },
};

/** Notes what it is asked for, and does not really pause. */
class RecordingBudget extends CallBudget {
  readonly endpoints: string[] = [];
  readonly pauses: number[] = [];

  override run<Result>(...[call, makeCall]: Parameters<typeof CallBudget.prototype.run<Result>>) {
    this.endpoints.push(call.endpoint);
    return super.run(call, makeCall);
  }

  override pause(milliseconds: number): void {
    this.pauses.push(milliseconds);
  }
}

type Answer = { status: number; headers?: Record<string, string> };

let server: Server;
let answers: Answer[];
let received: IncomingMessage[];

beforeAll(async () => {
  setEnvironment({ LOG_LEVEL: "silent" });
  server = createServer((request, response) => {
    received.push(request);
    const { status, headers } = answers.shift() ?? { status: 200 };
    response.writeHead(status, { "Content-Type": "application/json", ...headers });
    const failure = { error: { type: "api_error", message: "The server says no." } };
    response.end(JSON.stringify(status === 200 ? { id: "cus_1", object: "customer" } : failure));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  setEnvironment({});
});
beforeEach(() => {
  answers = [];
  received = [];
});

const port = () => (server.address() as AddressInfo).port;

function open({ budget = new RecordingBudget(GENEROUS), toPort = port(), retries = 0 } = {}) {
  const stripe = new Stripe("sk_test_budget", {
    httpClient: new BudgetedHttpClient(budget),
    protocol: "http",
    host: "127.0.0.1",
    port: toPort,
    maxNetworkRetries: retries,
  });
  return { stripe, budget };
}

const counted = (purpose: string, outcome: string) =>
  metricValue("stripe_calls_total", { purpose, outcome });

/** By how much each outcome's count of calls for a webhook grows meanwhile. */
async function outcomesOf(work: () => Promise<unknown>) {
  const outcomes = ["answered", "failed", "limited", "refused"] as const;
  const before = await Promise.all(outcomes.map((outcome) => counted("webhook", outcome)));
  await withCallPurpose("webhook", work).catch(() => {});
  const after = await Promise.all(outcomes.map((outcome) => counted("webhook", outcome)));
  const grown = outcomes.map(
    (outcome, i) => [outcome, (after[i] ?? 0) - (before[i] ?? 0)] as const,
  );
  return Object.fromEntries(grown.filter(([, by]) => by > 0));
}

const unretried = { "stripe-should-retry": "false" };

describe("a call to Stripe is counted for its purpose as", () => {
  it.each([
    [200, "answered"],
    [429, "limited"],
    [500, "failed"],
  ])("what status %i means: %s", async (status, outcome) => {
    const { stripe } = open();
    answers = [{ status, headers: unretried }];
    expect(await outcomesOf(() => stripe.customers.retrieve("cus_1"))).toEqual({ [outcome]: 1 });
  });

  it("failed when nobody answers", async () => {
    const { stripe } = open({ toPort: 1 });
    expect(await outcomesOf(() => stripe.customers.retrieve("cus_1"))).toEqual({ failed: 1 });
  });

  it("refused when the budget has no room", async () => {
    const maxWaitMs = { ...GENEROUS.maxWaitMs, webhook: -1 };
    const { stripe } = open({ budget: new RecordingBudget({ ...GENEROUS, maxWaitMs }) });
    expect(await outcomesOf(() => stripe.customers.retrieve("cus_1"))).toEqual({ refused: 1 });
  });
});

describe("a call that is not sent", () => {
  it("fails at once, as Stripe's own rate limit would, and is not tried again", async () => {
    const maxWaitMs = { ...GENEROUS.maxWaitMs, background: -1 };
    const budget = new RecordingBudget({ ...GENEROUS, maxWaitMs });
    const { stripe } = open({ budget, retries: 2 });
    const error = await stripe.customers.retrieve("cus_1").catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Stripe.errors.StripeRateLimitError);
    expect(error).toMatchObject({
      statusCode: 429,
      message: "Not sent: too many calls to Stripe are already queued.",
    });
    expect(budget.endpoints).toHaveLength(1);
    expect(budget.pauses).toEqual([]);
    expect(received).toEqual([]);
  });
});

describe("a 429 from Stripe", () => {
  it.each([
    [undefined, 1_000],
    ["2", 2_000],
    ["3600", 10_000],
  ])("with Retry-After %s pauses all calls for %i ms", async (retryAfter, pause) => {
    const { stripe, budget } = open();
    const headers = { ...unretried, ...(retryAfter ? { "Retry-After": retryAfter } : {}) };
    answers = [{ status: 429, headers }];
    await stripe.customers.retrieve("cus_1").catch(() => {});
    expect(budget.pauses).toEqual([pause]);
  });

  it("is tried again, unless Stripe says that it should not be", async () => {
    const { stripe } = open({ retries: 1 });
    answers = [{ status: 429 }, { status: 200 }];
    expect(await stripe.customers.retrieve("cus_1")).toMatchObject({ id: "cus_1" });
    expect(received).toHaveLength(2);

    answers = [{ status: 429, headers: unretried }];
    await expect(stripe.customers.retrieve("cus_1")).rejects.toThrow("The server says no.");
    expect(received).toHaveLength(3);
  });
});

describe("a call's endpoint", () => {
  it("has a placeholder for the id, at whichever place the API's groups put it", async () => {
    const { stripe, budget } = open();
    await stripe.customers.list({ limit: 1 });
    await stripe.customers.retrieve("cus_1");
    await stripe.customers.listPaymentMethods("cus_1");
    await stripe.checkout.sessions.create({});
    await stripe.checkout.sessions.expire("cs_1");
    await stripe.billingPortal.configurations.retrieve("bpc_1");
    expect(budget.endpoints).toEqual([
      "GET /v1/customers",
      "GET /v1/customers/:id",
      "GET /v1/customers/:id/payment_methods",
      "POST /v1/checkout/sessions",
      "POST /v1/checkout/sessions/:id/expire",
      "GET /v1/billing_portal/configurations/:id",
    ]);
  });
});
