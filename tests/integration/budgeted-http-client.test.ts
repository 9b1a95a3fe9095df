import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Stripe from "stripe";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { CallBudget } from "~/features/billing/call-budget.server";
import { BudgetedHttpClient } from "~/features/billing/stripe-client.server";

const GENEROUS = {
  perSecond: 1_000,
  perEndpoint: 1_000,
  concurrency: 10,
  maxWaitMs: { webhook: 1_000, checkout: 1_000, membership: 1_000, background: 1_000 },
};

/** Records requested pauses without waiting. */
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

const unretried = { "stripe-should-retry": "false" };

describe("a call that is not sent", () => {
  it("fails at once, like Stripe's own rate limit, without a retry", async () => {
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
});

describe("a call's endpoint", () => {
  it("has a placeholder for the id, in every group of the API", async () => {
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
