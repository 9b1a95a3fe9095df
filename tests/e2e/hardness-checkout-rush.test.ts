import { Agent } from "node:http";
import { setTimeout } from "node:timers/promises";
import { sql } from "drizzle-orm";
import Stripe from "stripe";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { profiles } from "~db/schema";
import { type Answer, send, Visitor } from "../support/http-client";
import { control } from "../support/payments";
import { type ProgramSite, startProgramSite } from "../support/program-site";

const { priceId, webhookSecret } = SANDBOX_STRIPE;

/** What a call to Stripe takes, in milliseconds. */
const STRIPE_MS = "350";

const BUYERS = 100;
/** People whose webhooks come meanwhile, and as many who come to the success page. */
const MEMBERS = 30;

/** Connections that the program has to its database at most. */
const POOL = 10;

let site: ProgramSite;
let agent: Agent;
let buyers: Visitor[];
/** Customers who have paid, whose webhooks come. */
let customers: string[];
/** Browsers of others who have paid, and the success pages that Stripe sends them to. */
let payers: { browser: Visitor; success: string }[];

beforeAll(async () => {
  agent = new Agent({ keepAlive: true });
  site = await startProgramSite({
    PAYMENTS: "sandbox",
    STRIPE_SANDBOX_LATENCY_MS: STRIPE_MS,
    TRUST_PROXY: "1",
    // the limits as they come
    RATE_LIMIT_FACTOR: "1",
  });
  const { sandboxOrigin } = site.program;
  const visitors: Visitor[] = [];
  while (visitors.length < BUYERS + 2 * MEMBERS) {
    visitors.push(...(await Promise.all(Array.from({ length: 10 }, newVisitor))));
  }
  buyers = visitors.splice(0, BUYERS);
  const members = await Promise.all(
    visitors.map(async (browser) => {
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
  // so that the success page asks Stripe
  await site.database.db.update(profiles).set({ syncedAt: new Date(0) });
});
afterAll(async () => {
  agent?.destroy();
  await site?.close();
});

let networks = 0;
/** Somebody with an account and a network of their own. */
async function newVisitor(): Promise<Visitor> {
  const number = ++networks;
  const network = { "X-Forwarded-For": `198.51.${number}.7` };
  const visitor = new Visitor(site.origin, network, site.origin, agent);
  await visitor.signUp(`visitor-${number}@example.test`);
  return visitor;
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

/** The most that the lower part of some numbers comes to; with 1, that all do. */
function percentile(numbers: number[], part: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN);
}

const p95 = (times: Timed[]) =>
  percentile(
    times.map(({ ms }) => ms),
    0.95,
  );

function tellFigures(what: string, times: Timed[]): void {
  const milliseconds = times.map(({ ms }) => ms);
  const [half, most, all] = [0.5, 0.95, 1].map((part) => percentile(milliseconds, part));
  console.info(`${what}: ${times.length}, p50 ${half} ms, p95 ${most} ms, longest ${all} ms`);
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

/** Does something with one of several after the other, every so many milliseconds, until it is over. */
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

/** Connections of the program's that work at something, or hold a transaction while they do not. */
async function connectionsInUse(): Promise<number> {
  const [row] = await site.database.db.execute<{ count: number }>(
    sql`select count(*)::int as count from pg_stat_activity
        where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`,
  );
  return row?.count ?? Number.NaN;
}

/** How many customers and sessions there are at Stripe. */
async function countAtStripe() {
  type State = { counts: { customers: number; checkoutSessions: number } };
  const { sandboxOrigin } = site.program;
  const { counts } = await control<State>(sandboxOrigin, "state", undefined, "GET");
  return { customers: counts.customers, sessions: counts.checkoutSessions };
}

it("a hundred people who click Upgrade at once hold up neither each other nor anybody else", async () => {
  let isRushOver = false;
  const isOver = () => isRushOver;
  const rush = Promise.all(buyers.map(clickUpgrade)).finally(() => {
    isRushOver = true;
  });
  const connections: number[] = [];
  const watchConnections = async () => {
    while (!isOver()) connections.push(await connectionsInUse());
  };
  const [clicks, webhooks, successes, landings] = await Promise.all([
    rush,
    inTurn(customers, { every: 50, isOver }, deliver),
    inTurn(payers, { every: 100, isOver }, ({ browser, success }) => browser.get(success)),
    inTurn(["/"], { every: 50, isOver }, (path) => send(site.origin + path, { agent })),
    watchConnections(),
  ]);
  const usual = percentile(connections, 0.9);
  tellFigures("checkouts", clicks);
  tellFigures("webhooks meanwhile", webhooks);
  tellFigures("success pages meanwhile", successes);
  tellFigures("landing pages meanwhile", landings);
  console.info(`connections in use: p90 ${usual}, most ${Math.max(...connections)}, of ${POOL}`);

  for (const times of [clicks, webhooks, successes, landings]) {
    expect(new Set(times.map(({ answer }) => answer.status))).toEqual(new Set([200]));
  }
  for (const { answer } of successes)
    expect(answer.text).toMatch(/You(’|'|&#x27;)re a Premium Member/);

  expect(new Set(sessionsOf(clicks)).size).toBe(BUYERS);
  const oneEach = { customers: BUYERS + 2 * MEMBERS, sessions: BUYERS + 2 * MEMBERS };
  expect(await countAtStripe()).toEqual(oneEach);

  expect(p95(clicks)).toBeLessThan(3_000);
  expect(p95(webhooks)).toBeLessThan(2_000);
  expect(p95(successes)).toBeLessThan(2_000);
  expect(p95(landings)).toBeLessThan(1_500);
  // held through the calls to Stripe, all of them would be in use from beginning to end
  expect(usual).toBeLessThan(POOL);

  const again = await Promise.all(buyers.map(clickUpgrade));
  tellFigures("checkouts again", again);
  expect(sessionsOf(again)).toEqual(sessionsOf(clicks));
  expect(await countAtStripe()).toEqual(oneEach);
});
