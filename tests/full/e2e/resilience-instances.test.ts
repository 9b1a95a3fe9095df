import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { sql } from "drizzle-orm";
import Stripe from "stripe";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { type Database, openDatabase } from "~db/client";
import { send, Visitor } from "../../support/http-client";
import { createTestDatabase, type TestDatabase } from "../../support/postgres";
import { type Program, startProgram, temporaryDirectory } from "../../support/program";
import { METRICS_TOKEN, readMetric } from "../../support/program-site";
import { countRows } from "../../support/tables";

let testDatabase: TestDatabase;
let database: Database;
let instances: [Program, Program];
const data = temporaryDirectory();

beforeAll(async () => {
  testDatabase = await createTestDatabase({ empty: true });
  database = openDatabase(testDatabase.url);
  const variables = {
    DATABASE_URL: testDatabase.url,
    DATA_DIR: data.path,
    PAYMENTS: "stripe",
    STRIPE_SECRET_KEY: SANDBOX_STRIPE.secretKey,
    STRIPE_PRICE_ID: SANDBOX_STRIPE.priceId,
    STRIPE_WEBHOOK_SECRET: SANDBOX_STRIPE.webhookSecret,
    STRIPE_API_BASE: "http://127.0.0.1:9",
    HOST: "localhost",
    METRICS_TOKEN,
    LOG_LEVEL: "warn",
    RATE_LIMIT_FACTOR: "0.2",
  };
  // concurrently, on an empty database and a directory without a secret
  instances = await Promise.all([startProgram({ variables }), startProgram({ variables })]);
});
afterAll(async () => {
  await Promise.all(instances?.map((program) => program.stop()) ?? []);
  await database?.close();
  await testDatabase?.drop();
  data.remove();
});

it("migrate a database concurrently, each migration once", async () => {
  const folder = resolve(import.meta.dirname, "../../../db/migrations");
  const migrations = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  const [row] = await database.db.execute<{ count: number }>(
    sql`select count(*)::int as count from drizzle.__drizzle_migrations`,
  );
  expect(row?.count).toBe(migrations.length);
  for (const { origin } of instances) expect((await send(`${origin}/readyz`)).status).toBe(200);
});

it("share sign-ins and sign-outs", async () => {
  const [first, second] = instances;
  const there = new Visitor(first.origin);
  await there.signUp("shared@example.test");
  const here = new Visitor(second.origin);
  here.cookie = there.cookie;
  expect((await here.get("/")).text).toContain("shared@example.test");

  await here.post("/logout", { form: {} });
  expect((await there.get("/")).text).not.toContain("shared@example.test");
});

it("show a toast that the other instance set", async () => {
  const [first, second] = instances;
  const visitor = new Visitor(first.origin);
  const form = { email: "toast@example.test" };
  const { cookies } = await visitor.post("/newsletter", { form });
  const page = await send(`${second.origin}/`, { cookie: cookies.join("; ") });
  expect(page.text).toContain("🎉 Success!");
});

it("share the counts of attempts", async () => {
  const json = { email: "guessed@example.test", password: "guess" };
  const statuses: number[] = [];
  for (let i = 0; i < 4; i++) {
    const { origin } = instances[i % 2 === 0 ? 0 : 1];
    statuses.push((await send(`${origin}/auth/login`, { json })).status);
  }
  // a fifth of the limit of ten
  expect(statuses).toEqual([401, 401, 429, 429]);
});

it("process each webhook once, whichever instances receive it, and however often", async () => {
  const event = {
    id: "evt_shared",
    object: "event",
    type: "customer.subscription.updated",
    api_version: "2026-10-28.endive",
    created: Math.floor(Date.now() / 1000),
    livemode: false,
    data: { object: { id: "sub_1", object: "subscription", customer: "cus_nobody" } },
  };
  const body = JSON.stringify(event);
  const signature = Stripe.webhooks.generateTestHeaderString({
    payload: body,
    secret: SANDBOX_STRIPE.webhookSecret,
  });
  const deliveries = Array.from({ length: 20 }, (_, i) =>
    send(`${instances[i % 2 === 0 ? 0 : 1].origin}/webhooks/stripe`, {
      method: "POST",
      body,
      headers: { "Stripe-Signature": signature },
    }),
  );
  const answers = await Promise.all(deliveries);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await countRows(database, "webhook_events")).toBe(1);
  const figure = async (outcome: string) => {
    const each = instances.map(({ origin }) =>
      readMetric(origin, "stripe_webhooks_total", { outcome }),
    );
    return (await Promise.all(each)).reduce((sum, figure) => sum + figure, 0);
  };
  expect(await figure("processed")).toBe(1);
  expect(await figure("duplicate")).toBe(19);
});

it("keep serving when one is stopped", async () => {
  const [first, second] = instances;
  const visitor = new Visitor(first.origin);
  await visitor.signUp("stays@example.test");
  expect(await first.stop()).toBe(0);
  const moved = new Visitor(second.origin);
  moved.cookie = visitor.cookie;
  expect((await moved.get("/")).text).toContain("stays@example.test");
});
