import { join } from "node:path";
import Stripe from "stripe";
import { afterEach, expect, it } from "vitest";
import { type StripeSandbox, startStripeSandbox } from "~/sandbox/stripe/server.server";
import { Visitor } from "../../support/http-client";
import { freePorts } from "../../support/ports.mjs";
import { createTestDatabase, type TestDatabase } from "../../support/postgres";
import { type Program, startProgram, temporaryDirectory } from "../../support/program";
import { SANDBOX_PRICE } from "../../support/stripe-sandbox";

const STRIPE_KEY = "sk_test_ofThisTest";
const WEBHOOK_SECRET = "whsec_ofThisTest";

/** Stops everything a test has started, in reverse order. */
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A local Stripe that can be stopped and started again with its state. */
type Account = { port: number; priceId: string; arrive(): Promise<void>; leave(): Promise<void> };

/** A Stripe account that sells at €12.50 a year; Stripe is running. */
async function openAccount(): Promise<Account> {
  const port = await freePorts(1);
  const directory = temporaryDirectory();
  let stripe: StripeSandbox | undefined;
  const account = {
    port,
    priceId: "",
    arrive: async () => {
      stripe = await startStripeSandbox({
        port,
        stateFile: join(directory.path, "stripe.json"),
        secretKey: STRIPE_KEY,
        webhookSecret: WEBHOOK_SECRET,
        webhookUrl: null,
        price: SANDBOX_PRICE,
      });
    },
    leave: async () => {
      await stripe?.close();
      stripe = undefined;
    },
  };
  ends.push(async () => {
    await account.leave();
    directory.remove();
  });
  await account.arrive();
  const client = new Stripe(STRIPE_KEY, { host: "127.0.0.1", port, protocol: "http" });
  const price = await client.prices.create({
    product: SANDBOX_PRICE.productId,
    unit_amount: 1250,
    currency: "eur",
    recurring: { interval: "year" },
  });
  account.priceId = price.id;
  return account;
}

async function startSite(
  database: TestDatabase,
  account: Pick<Account, "port" | "priceId">,
): Promise<Program> {
  const data = temporaryDirectory();
  ends.push(() => data.remove());
  const program = await startProgram({
    variables: {
      DATABASE_URL: database.url,
      DATA_DIR: data.path,
      STRIPE_SECRET_KEY: STRIPE_KEY,
      STRIPE_PRICE_ID: account.priceId,
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      STRIPE_API_BASE: `http://127.0.0.1:${account.port}`,
    },
  });
  ends.push(() => program.stop());
  return program;
}

async function landingPage(program: Program): Promise<string> {
  return (await new Visitor(program.origin).get("/")).text;
}

it("a price other than $9.99 a month does not delay the start, is shown once Stripe returns it, and also after a start while Stripe is down", async () => {
  const account = await openAccount();
  await account.leave();
  const database = await createTestDatabase();
  ends.push(() => database.drop());
  const program = await startSite(database, account);
  const before = await landingPage(program);
  expect(before).toContain("You’ll see the price before you pay. You can cancel anytime.");
  expect(before).not.toMatch(/\$9\.99|€/);
  expect(program.output()).toContain("until then the pages show none");

  await account.arrive();
  // without clearing the cache, the old page would stay for a minute
  await expect.poll(() => landingPage(program)).toContain(">€12.50<");
  const page = await landingPage(program);
  expect(page).toContain(">per year, cancel anytime<");
  expect(page).not.toContain("$9.99");
  await program.stop();
  await account.leave();

  expect(await landingPage(await startSite(database, account))).toContain(">€12.50<");
});
