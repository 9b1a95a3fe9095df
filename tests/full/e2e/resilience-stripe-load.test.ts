import { Agent } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { type Answer, send, Visitor } from "../../support/http-client";
import { control } from "../../support/payments";
import { type ProgramSite, startProgramSite } from "../../support/program-site";

const { priceId } = SANDBOX_STRIPE;

/** The local Stripe's latency, in milliseconds; Stripe's is 200 to 500. */
const STRIPE_MS = 300;

let site: ProgramSite;
let sandboxOrigin: string;

beforeAll(async () => {
  site = await startProgramSite({
    PAYMENTS: "sandbox",
    TRUST_PROXY: "1",
    // default limits
    RATE_LIMIT_FACTOR: "1",
  });
  ({ sandboxOrigin } = site.program);
});
afterAll(() => site?.close());

let agent: Agent;
beforeEach(async () => {
  agent = new Agent({ keepAlive: true });
  await control(sandboxOrigin, "faults", { kind: "slow", ms: STRIPE_MS, times: 0 });
  await control(sandboxOrigin, "requests/clear");
});
afterEach(async () => {
  agent.destroy();
  await control(sandboxOrigin, "faults/clear");
});

let networks = 0;
/** A new account on its own network. */
async function newVisitor(): Promise<Visitor> {
  networks++;
  const visitor = new Visitor(site.origin, { "X-Forwarded-For": `198.51.${networks}.7` });
  await visitor.signUp(`visitor-${networks}@example.test`);
  return visitor;
}

/** A new account with a customer at Stripe and a checkout session, which is open or paid. */
async function newBuyer({ pays = false } = {}) {
  const buyer = await newVisitor();
  const answer = await buyer.post("/checkout", { json: { priceId } });
  const { sessionId } = JSON.parse(answer.text) as { sessionId: string };
  if (pays) {
    await control(sandboxOrigin, `sessions/${sessionId}/pay`);
    await control(sandboxOrigin, "webhooks/settle");
  }
  return { buyer, sessionId, success: `/checkout/success?session_id=${sessionId}` };
}

/** Returns the number of calls to Stripe by endpoint, except those of the timer, which may run at any time. */
async function callsToStripe(): Promise<Record<string, number>> {
  type Requests = { counts: Record<string, number> };
  const { counts } = await control<Requests>(sandboxOrigin, "requests", undefined, "GET");
  const { "GET /v1/events": _, ...calls } = counts;
  return calls;
}

const sum = (counts: Record<string, number>) =>
  Object.values(counts).reduce((total, count) => total + count, 0);

/** Requests a page repeatedly until some work is done; returns the statuses. */
async function watchPages(visitor: Visitor, until: Promise<unknown>) {
  let isOver = false;
  void until.finally(() => {
    isOver = true;
  });
  const statuses = new Set<number>();
  while (!isOver) statuses.add((await visitor.get("/auth/forgot-password")).status);
  return [...statuses];
}

/**
 * Makes requests, a few at a time. If the database takes longer than 1.5 s to count, as in a flood on a busy machine,
 * the program counts in memory, from zero.
 */
async function inTurns(count: number, request: (i: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  while (answers.length < count) {
    const some = Array.from({ length: 5 }, (_, i) => request(answers.length + i));
    answers.push(...(await Promise.all(some)));
  }
  return answers;
}

const statusesOf = (answers: Answer[]) => new Set(answers.map(({ status }) => status));

describe("one account on the success page", () => {
  it.each([
    ["has paid", true],
    ["has not paid", false],
  ])(
    "with 120 concurrent requests delays no other page and costs few calls, if it %s",
    async (_what, pays) => {
      const { buyer, success } = await newBuyer({ pays });
      const other = await newVisitor();
      await control(sandboxOrigin, "requests/clear");

      const flood = Promise.all(Array.from({ length: 120 }, () => buyer.get(success, { agent })));
      expect(await watchPages(other, flood)).toEqual([200]);
      expect(statusesOf(await flood)).toEqual(new Set([pays ? 200 : 302]));
      // concurrent requests share one snapshot
      expect(sum(await callsToStripe())).toBeLessThanOrEqual(40);
    },
  );

  it("sees its row's state, without further calls, once over its limit", async () => {
    const { buyer, sessionId } = await newBuyer();
    const other = await newVisitor();
    await control(sandboxOrigin, "faults/clear");
    await control(sandboxOrigin, "requests/clear");
    const madeUp = (i: number) => `/checkout/success?session_id=cs_test_madeUp${i}`;
    expect(statusesOf(await inTurns(100, (i) => buyer.get(madeUp(i))))).toEqual(new Set([302]));
    const { "GET /v1/checkout/sessions/:id": calls = 0 } = await callsToStripe();
    expect(calls).toBe(60);

    await control(sandboxOrigin, "requests/clear");
    const own = await buyer.get(`/checkout/success?session_id=${sessionId}`);
    expect(own.text).toMatch(/confirming your payment/i);
    expect(await callsToStripe()).toEqual({});
    // the limit does not affect other accounts
    expect((await other.get("/checkout/success")).status).toBe(302);
  });
});

it("one account that opens the portal again and again causes no more calls than its limit, and sees a message", async () => {
  const { buyer } = await newBuyer({ pays: true });
  await control(sandboxOrigin, "requests/clear");
  await control(sandboxOrigin, "faults/clear");
  const open = () => buyer.post("/billing", { json: {}, agent });
  expect(statusesOf(await inTurns(30, open))).toEqual(new Set([200]));
  const rejected = await Promise.all(Array.from({ length: 200 }, open));
  expect(statusesOf(rejected)).toEqual(new Set([429]));
  expect(JSON.parse(rejected[0]?.text ?? "").error).toMatch(/^Too many attempts\./);
  // the portal's configuration is fetched once
  expect(await callsToStripe()).toEqual({
    "GET /v1/billing_portal/configurations": 1,
    "POST /v1/billing_portal/sessions": 30,
  });
  const page = await buyer.post("/billing", { form: {} });
  expect(page.status).toBe(429);
  expect(Number(page.headers["retry-after"])).toBeGreaterThan(60);
  expect(page.text).toContain("Checkout Error");
  expect(page.text).toMatch(/Error invoking function: Too many attempts\./);
});

describe("one account that clicks Upgrade", () => {
  it("a hundred times concurrently gets one session, with few calls to Stripe", async () => {
    const { buyer } = await newBuyer();
    await control(sandboxOrigin, "requests/clear");
    const clicks = Array.from({ length: 100 }, () =>
      buyer.post("/checkout", { json: { priceId }, agent }),
    );
    const answers = await Promise.all(clicks);
    expect(statusesOf(answers)).toEqual(new Set([200]));
    expect(new Set(answers.map(({ text }) => JSON.parse(text).sessionId)).size).toBe(1);
    expect(sum(await callsToStripe())).toBeLessThanOrEqual(40);
  });
});

describe("webhooks without a valid signature", () => {
  const post = (headers: Record<string, string>) =>
    send(`${site.origin}/webhooks/stripe`, {
      body: JSON.stringify({ id: "evt_1", type: "invoice.paid", livemode: false }),
      headers: { "Content-Type": "application/json", "X-Forwarded-For": "192.0.2.66", ...headers },
      agent,
    });

  it("are rejected without a query or a call to Stripe, and with few log lines", async () => {
    const queries = () => site.metric("database_query_duration_seconds_count", { pool: "site" });
    const before = await queries();
    const rejected = await site.metric("stripe_webhooks_total", { outcome: "refused" });
    const flood = Array.from({ length: 50 }, (_, i) => [
      post({}),
      post({ "Stripe-Signature": `t=${Math.floor(Date.now() / 1000)},v1=${i}` }),
    ]).flat();
    expect(statusesOf(await Promise.all(flood))).toEqual(new Set([400]));
    expect(await site.metric("stripe_webhooks_total", { outcome: "refused" })).toBe(rejected + 100);
    // each reading of the metrics makes one query, and timers make some
    expect((await queries()) - before).toBeLessThan(30);
    expect(await callsToStripe()).toEqual({});

    // one line with details for each reason, and one per minute with the number of further rejections
    const lines = site.program
      .output()
      .split("\n")
      .filter((line) => line.includes("webhook-refused"))
      .map((line) => JSON.parse(line));
    expect(lines.length).toBeLessThan(10);
    const details = lines.filter(({ count }) => count === undefined);
    expect(new Set(details.map(({ reason }) => reason))).toEqual(
      new Set(["no signature", "wrong signature"]),
    );
    for (const line of details) expect(line).toMatchObject({ network: "192.0.2.66", level: 40 });
  });
});
