import { mkdtempSync, rmSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { sql } from "drizzle-orm";
import Stripe from "stripe";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { profiles } from "~db/schema";
import { fastFolder } from "../support/fast-folder.mjs";
import { type Answer, send, Visitor } from "../support/http-client";
import { control } from "../support/payments";
import { type ProgramSite, startProgramSite } from "../support/program-site";

const { priceId, webhookSecret } = SANDBOX_STRIPE;

/** The sandbox's latency, in milliseconds. */
const STRIPE_MS = "350";

const BUYERS = 100;
/** The number of customers whose webhooks arrive meanwhile, and of others who open the success page. */
const MEMBERS = 30;

/**
 * Upper limits: p95 times in milliseconds, and the p90 of connections in use. Ten checkouts at a time, as many as there
 * are connections, would take ten seconds.
 */
const LIMITS = {
  checkouts: 4_500,
  webhooks: 3_000,
  "success pages": 4_500,
  "landing pages": 3_000,
  // if they were held during calls to Stripe, all ten would be in use throughout
  connections: 10,
};

/** Other programs on the machine can only slow a round down, so the best one counts. */
const MAX_ROUNDS = 5;

type Figures = Record<keyof typeof LIMITS, number>;

const fastData = mkdtempSync(join(fastFolder(), "golden-path-"));

let site: ProgramSite;
let agent: Agent;
/** Customers who have paid, and whose webhooks arrive. */
let customers: string[];
/** Browsers of others who have paid, and the success pages that Stripe redirects them to. */
let payers: { browser: Visitor; success: string }[];

beforeAll(async () => {
  agent = new Agent({ keepAlive: true });
  site = await startProgramSite({
    PAYMENTS: "sandbox",
    STRIPE_SANDBOX_LATENCY_MS: STRIPE_MS,
    // in memory, since the local Stripe writes its state to disk before each response
    DATA_DIR: fastData,
    TRUST_PROXY: "1",
    // default limits
    RATE_LIMIT_FACTOR: "1",
  });
  const { sandboxOrigin } = site.program;
  const members = await Promise.all(
    (await newVisitors(2 * MEMBERS)).map(async (browser) => {
      const { sessionId } = answerOf((await clickUpgrade(browser)).answer);
      type Paid = { session: { customer: string } };
      const { session } = await control<Paid>(sandboxOrigin, `sessions/${sessionId}/pay`);
      const success = `/checkout/success?session_id=${sessionId}`;
      return { customer: session.customer, payer: { browser, success } };
    }),
  );
  customers = members.splice(0, MEMBERS).map(({ customer }) => customer);
  payers = members.map(({ payer }) => payer);
  await control(sandboxOrigin, "webhooks/settle", { timeoutMs: 60_000 });
});
afterAll(async () => {
  agent?.destroy();
  await site?.close();
  rmSync(fastData, { recursive: true, force: true });
});

let networks = 0;
/** A new account on its own network. */
async function newVisitor(): Promise<Visitor> {
  const number = ++networks;
  const network = { "X-Forwarded-For": `198.${18 + (number >> 8)}.${number & 255}.7` };
  const visitor = new Visitor(site.origin, network, site.origin, agent);
  await visitor.signUp(`visitor-${number}@example.test`);
  return visitor;
}

/** Several new accounts, with no more concurrent passwords than the queue accepts. */
async function newVisitors(count: number): Promise<Visitor[]> {
  const visitors: Visitor[] = [];
  while (visitors.length < count) {
    visitors.push(...(await Promise.all(Array.from({ length: 10 }, newVisitor))));
  }
  return visitors;
}

type Timed = { answer: Answer; ms: number };

async function timed(work: () => Promise<Answer>): Promise<Timed> {
  const startedAt = performance.now();
  const answer = await work();
  return { answer, ms: performance.now() - startedAt };
}

const clickUpgrade = (buyer: Visitor) =>
  timed(() => buyer.post("/checkout", { json: { priceId } }));

const answerOf = ({ text }: Answer) => JSON.parse(text) as { sessionId: string; url: string };

const sessionsOf = (clicks: Timed[]) => clicks.map(({ answer }) => answerOf(answer).sessionId);

/** A quantile, with 1 the maximum. */
function percentile(numbers: number[], part: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN);
}

/** Prints how long requests took, and returns their p95. */
function p95(what: string, times: Timed[]): number {
  const milliseconds = times.map(({ ms }) => ms);
  const [half, most, all] = [0.5, 0.95, 1].map((part) => percentile(milliseconds, part));
  console.info(`${what}: ${times.length}, p50 ${half} ms, p95 ${most} ms, longest ${all} ms`);
  return most ?? Number.NaN;
}

let deliveries = 0;
/** Delivers a webhook about a customer, as Stripe does. */
function deliver(customer: string): Promise<Answer> {
  const body = JSON.stringify({
    id: `evt_rush_${++deliveries}`,
    object: "event",
    type: "customer.subscription.updated",
    api_version: "2026-10-28.endive",
    created: Math.floor(Date.now() / 1_000),
    livemode: false,
    data: { object: { id: "sub_1", object: "subscription", customer } },
  });
  const signature = Stripe.webhooks.generateTestHeaderString({
    payload: body,
    secret: webhookSecret,
  });
  return send(`${site.origin}/webhooks/stripe`, {
    body,
    headers: { "Content-Type": "application/json", "Stripe-Signature": signature },
    agent,
  });
}

/** Does something with the next of several items, round-robin, at an interval, until the rush is over. */
async function inTurn<Item>(
  items: readonly Item[],
  { every, isOver }: { every: number; isOver: () => boolean },
  work: (item: Item) => Promise<Answer>,
): Promise<Timed[]> {
  const all: Promise<Timed>[] = [];
  while (!isOver()) {
    const item = items[all.length % items.length] as Item;
    all.push(timed(() => work(item)));
    await setTimeout(every);
  }
  return Promise.all(all);
}

/** The program's database connections that run a query or hold a transaction. */
async function connectionsInUse(): Promise<number> {
  const [row] = await site.database.db.execute<{ count: number }>(
    sql`select count(*)::int as count from pg_stat_activity
        where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`,
  );
  return row?.count ?? Number.NaN;
}

/** The number of customers and sessions at Stripe. */
async function countAtStripe() {
  type State = { counts: { customers: number; checkoutSessions: number } };
  const { sandboxOrigin } = site.program;
  const { counts } = await control<State>(sandboxOrigin, "state", undefined, "GET");
  return { customers: counts.customers, sessions: counts.checkoutSessions };
}

/**
 * Lets accounts without a membership click Upgrade concurrently, during other traffic. Each gets exactly one
 * session.
 */
async function rush(buyers: Visitor[]): Promise<Figures> {
  // so that the success page calls Stripe
  await site.database.db.update(profiles).set({ syncedAt: new Date(0) });
  const before = await countAtStripe();

  let isRushOver = false;
  const isOver = () => isRushOver;
  const allClicks = Promise.all(buyers.map(clickUpgrade)).finally(() => {
    isRushOver = true;
  });
  const connections: number[] = [];
  const watchConnections = async () => {
    while (!isOver()) connections.push(await connectionsInUse());
  };
  const [clicks, webhooks, successes, landings] = await Promise.all([
    allClicks,
    inTurn(customers, { every: 100, isOver }, deliver),
    inTurn(payers, { every: 200, isOver }, ({ browser, success }) => browser.get(success)),
    inTurn(["/"], { every: 100, isOver }, (path) => send(site.origin + path, { agent })),
    watchConnections(),
  ]);

  for (const times of [clicks, webhooks, successes, landings]) {
    expect(new Set(times.map(({ answer }) => answer.status))).toEqual(new Set([200]));
  }
  for (const { answer } of successes) {
    expect(answer.text).toMatch(/You’re a Premium Member/);
  }
  expect(new Set(sessionsOf(clicks)).size).toBe(BUYERS);
  const oneMoreEach = { customers: before.customers + BUYERS, sessions: before.sessions + BUYERS };
  expect(await countAtStripe()).toEqual(oneMoreEach);

  const again = await Promise.all(buyers.map(clickUpgrade));
  expect(sessionsOf(again)).toEqual(sessionsOf(clicks));
  expect(await countAtStripe()).toEqual(oneMoreEach);

  const inUse = percentile(connections, 0.9);
  console.info(`connections in use: p90 ${inUse}, most ${Math.max(...connections)}`);
  p95("checkouts once more", again);
  return {
    checkouts: p95("checkouts", clicks),
    webhooks: p95("webhooks", webhooks),
    "success pages": p95("success pages", successes),
    "landing pages": p95("landing pages", landings),
    connections: inUse,
  };
}

it("a hundred concurrent checkouts delay neither one another nor anybody else", {
  timeout: 300_000,
}, async () => {
  let tooMuch: [string, number][] = [];
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    const figures = await rush(await newVisitors(BUYERS));
    tooMuch = Object.entries(figures).filter(
      ([what, figure]) => figure >= LIMITS[what as keyof Figures],
    );
    if (tooMuch.length === 0) break;
  }
  expect(tooMuch).toEqual([]);
});
