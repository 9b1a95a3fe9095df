import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { eq, sql } from "drizzle-orm";
import Stripe from "stripe";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { startStripeSandbox } from "~/sandbox/stripe/server.server";
import { type Database, openDatabase } from "~db/client";
import { accountDeletions, users } from "~db/schema";
import { Visitor } from "../../support/http-client";
import { control } from "../../support/payments";
import { createTestDatabase, type TestDatabase } from "../../support/postgres";
import { type Program, startProgram, temporaryDirectory } from "../../support/program";

/** Long enough for the first look after a start. */
const RESUMED = { timeout: 60_000, interval: 250 };

/** Stripe outlives the program here, as it does in life. */
let sandbox: Awaited<ReturnType<typeof startStripeSandbox>>;
/** The way there, on which a request to delete a customer is held until a test lets it through. */
let network: Server;
let asked: { promise: Promise<void>; resolve: () => void };
let release: typeof asked;
let testDatabase: TestDatabase;
let database: Database;
let program: Program;
const data = temporaryDirectory();
let variables: Record<string, string>;

beforeAll(async () => {
  sandbox = await startStripeSandbox({
    port: 0,
    stateFile: null,
    secretKey: SANDBOX_STRIPE.secretKey,
    webhookSecret: SANDBOX_STRIPE.webhookSecret,
    webhookUrl: null,
    price: {
      id: SANDBOX_STRIPE.priceId,
      productId: SANDBOX_STRIPE.productId,
      unitAmount: 999,
      currency: "usd",
      interval: "month",
    },
  });
  network = createServer((request, response) => void forward(request, response));
  await new Promise<void>((listening) => network.listen(0, "127.0.0.1", listening));
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url);
  variables = {
    DATABASE_URL: testDatabase.url,
    DATA_DIR: data.path,
    PAYMENTS: "stripe",
    STRIPE_SECRET_KEY: SANDBOX_STRIPE.secretKey,
    STRIPE_PRICE_ID: SANDBOX_STRIPE.priceId,
    STRIPE_WEBHOOK_SECRET: SANDBOX_STRIPE.webhookSecret,
    STRIPE_API_BASE: `http://127.0.0.1:${(network.address() as AddressInfo).port}`,
    // the sandbox's published secret is accepted on loopback only
    HOST: "localhost",
  };
  program = await startProgram({ variables });
});
afterAll(async () => {
  await program?.stop();
  await database?.close();
  await testDatabase?.drop();
  network?.close();
  await sandbox?.close();
  data.remove();
});

function deferred(): typeof asked {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Passes a request on to Stripe, whether or not its sender is still there. */
async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url, headers } = request;
  const body = await buffer(request);
  if (method === "DELETE" && url?.startsWith("/v1/customers/")) {
    asked.resolve();
    await release.promise;
  }
  const answer = await fetch(`http://127.0.0.1:${sandbox.port}${url}`, {
    method,
    headers: Object.fromEntries(
      ["authorization", "content-type", "idempotency-key", "stripe-version"].flatMap((name) =>
        typeof headers[name] === "string" ? [[name, headers[name]]] : [],
      ),
    ),
    body: body.length > 0 ? new Uint8Array(body) : undefined,
  });
  response.writeHead(answer.status, { "Content-Type": "application/json" });
  response.end(await answer.text());
}

beforeEach(() => {
  asked = deferred();
  release = deferred();
});

let count = 0;

/** Somebody with a paid membership, with their ids at Stripe. */
async function newMember() {
  const email = `member-${++count}@example.test`;
  const visitor = new Visitor(program.origin);
  await visitor.signUp(email);
  const stripe = new Stripe(SANDBOX_STRIPE.secretKey, {
    protocol: "http",
    host: "127.0.0.1",
    port: sandbox.port,
  });
  const { id: customer } = await stripe.customers.create({ email });
  const { id: subscription } = await control<{ id: string }>(
    `http://127.0.0.1:${sandbox.port}`,
    `customers/${customer}/subscribe`,
    { card: "4242424242424242" },
  );
  await database.db.execute(
    sql`update profiles set stripe_customer_id = ${customer}
      where id = (select id from users where email = ${email})`,
  );
  return { visitor, email, customer, subscription };
}

async function atStripe(path: string): Promise<Record<string, unknown>> {
  const answer = await fetch(`http://127.0.0.1:${sandbox.port}/v1/${path}`, {
    headers: { Authorization: `Bearer ${SANDBOX_STRIPE.secretKey}` },
  });
  return (await answer.json()) as Record<string, unknown>;
}

const hasAccount = async (email: string) =>
  (await database.db.select().from(users).where(eq(users.email, email))).length > 0;

const deletions = async () => (await database.db.select().from(accountDeletions)).length;

/** Lets a deletion have begun that long ago, and starts the program again. */
async function restart(minutesLater: number): Promise<void> {
  await database.db.execute(
    sql`update account_deletions set started_at = now() - ${minutesLater} * interval '1 minute'`,
  );
  program = await startProgram({ variables });
}

describe("a program that is killed while it deletes an account", () => {
  it("deletes it after the restart, if Stripe has ended the membership meanwhile", async () => {
    const { visitor, email, subscription, customer } = await newMember();
    const answer = visitor.post("/account/delete", { form: {} }).catch(() => null);
    await asked.promise;
    expect(await deletions()).toBe(1);
    await program.stop("SIGKILL");
    await answer;
    expect(await hasAccount(email)).toBe(true);
    release.resolve();
    await expect.poll(async () => (await atStripe(`customers/${customer}`)).deleted).toBe(true);
    expect((await atStripe(`subscriptions/${subscription}`)).status).toBe("canceled");

    await restart(3);
    await expect.poll(() => hasAccount(email), RESUMED).toBe(false);
    expect(await deletions()).toBe(0);
  });

  it("leaves it as before, if Stripe was never asked", async () => {
    const { email, subscription } = await newMember();
    await database.db.execute(
      sql`insert into account_deletions (user_id) select id from users where email = ${email}`,
    );
    await program.stop("SIGKILL");
    await restart(11);
    await expect.poll(deletions, RESUMED).toBe(0);
    expect(await hasAccount(email)).toBe(true);
    expect((await atStripe(`subscriptions/${subscription}`)).status).toBe("active");
  });
});
