import { eq, sql } from "drizzle-orm";
import { expect, it, onTestFinished } from "vitest";
import { openDatabase } from "~db/client";
import { users } from "~db/schema";
import { openAlteredStripe } from "../../support/altered-stripe";
import { Visitor } from "../../support/http-client";
import { freePorts } from "../../support/ports.mjs";
import { createTestDatabase } from "../../support/postgres";
import { type Program, runProgram, startProgram, temporaryDirectory } from "../../support/program";
import { openSandbox, SANDBOX_KEY, SANDBOX_PRICE } from "../../support/stripe-sandbox";

/** A site whose program or command is killed after a number of calls to Stripe. */
async function openKilledSite() {
  const account = await openSandbox();
  const data = temporaryDirectory();
  const test = await createTestDatabase();
  const database = openDatabase(test.url, { applicationName: "test" });
  let program: Program;
  let kill = () => {};
  /** The call after which it is killed, which Stripe carries out and whose answer it never sees. */
  let callsLeft = 0;
  const stripe = await openAlteredStripe(account.origin, async () => {
    callsLeft -= 1;
    if (callsLeft === 0) kill();
  });
  const variables = {
    PORT: String(await freePorts(1)),
    DATA_DIR: data.path,
    DATABASE_URL: test.url,
    STRIPE_SECRET_KEY: SANDBOX_KEY,
    STRIPE_PRICE_ID: SANDBOX_PRICE.id,
    STRIPE_WEBHOOK_SECRET: "whsec_nothingIsDelivered",
    STRIPE_API_BASE: stripe,
    HOST: "localhost",
  };
  program = await startProgram({ variables });
  onTestFinished(async () => {
    await program.stop();
    await database.close();
    await test.drop();
    data.remove();
  });
  const visitor = new Visitor(program.origin);

  /** Does a step until a number of calls is made, if there are so many; returns whether it was killed. */
  async function killAfter(calls: number, target: () => unknown, step: () => Promise<unknown>) {
    let killed: unknown;
    kill = () => {
      killed = target();
    };
    callsLeft = calls;
    await step().catch(() => null);
    callsLeft = 0;
    await killed;
    return killed !== undefined;
  }
  const site = {
    account,
    database,
    visitor,
    checkout: () => visitor.post("/checkout", { json: { priceId: SANDBOX_PRICE.id } }),
    /** Kills the program during a request, and starts it again. */
    killAfter: async (calls: number, step: () => Promise<unknown>) => {
      const wasKilled = await killAfter(calls, () => program.stop("SIGKILL"), step);
      if (wasKilled) program = await startProgram({ variables });
      return wasKilled;
    },
    /** Kills a command. */
    killCommand: (calls: number, command: string[]) => {
      const stopping = new AbortController();
      const run = () => runProgram({ command, variables, killed: stopping.signal });
      return killAfter(calls, () => stopping.abort() ?? true, run);
    },
    run: (command: string[]) => runProgram({ command, variables }),
    /** Buys the membership; returns whether the program was killed. */
    buy: async (calls = 0) => {
      const wasKilled = await site.killAfter(calls, site.checkout);
      const { sessionId } = JSON.parse((await site.checkout()).text);
      await account.control(`sessions/${sessionId}/pay`);
      const success = () => visitor.get(`/checkout/success?session_id=${sessionId}`);
      const wasKilledAfter = await site.killAfter(calls, success);
      await success();
      return wasKilled || wasKilledAfter;
    },
    /** The status of the members' area, which is 503 until the edition is read, soon after the start. */
    read: async () => {
      const status = async () => (await visitor.get("/premium")).status;
      await expect.poll(status).not.toBe(503);
      return status();
    },
  };
  return site;
}

type Site = Awaited<ReturnType<typeof openKilledSite>>;

/** What is killed after so many calls to Stripe, until it makes fewer; then each reader has paid once, and reads. */
const STEPS: [string, (site: Site, calls: number, email: string) => Promise<boolean>, boolean][] = [
  ["a checkout and its sync", ({ buy }, calls) => buy(calls), true],
  [
    "the command after a restore from before the account",
    async (site, calls, email) => {
      await site.buy();
      await site.database.db.delete(users).where(eq(users.email, email));
      await site.visitor.signUp(email);
      await site.database.db.execute(sql`update users set email_confirmed_at = now()`);
      const command = ["stripe", "sync", "--from-stripe"];
      const wasKilled = await site.killCommand(calls, command);
      // the portal, since the membership is found before anything is sold
      expect(JSON.parse((await site.checkout()).text).sessionId).toBeNull();
      expect(await site.run(command)).toMatchObject({ code: 0 });
      return wasKilled;
    },
    true,
  ],
  [
    "a deletion",
    async (site, calls, email) => {
      await site.buy();
      const command = ["members", "delete", email, "--yes"];
      const wasKilled = await site.killCommand(calls, command);
      const answer = await site.run(command);
      expect(answer.stderr + answer.stdout).toMatch(/deleted|no account/i);
      return wasKilled;
    },
    false,
  ],
];

it.each(STEPS)(
  "a kill of %s, after any call to Stripe, costs nobody a second payment, or access",
  {
    timeout: 300_000,
  },
  async (_what, step, isMember) => {
    const site = await openKilledSite();
    const { stripe } = site.account;
    let rounds = 0;
    for (let wasKilled = true; wasKilled; rounds += 1) {
      const email = `reader-${rounds}@example.com`;
      await site.visitor.signUp(email);
      wasKilled = await step(site, rounds + 1, email);

      expect(await site.read()).toBe(isMember ? 200 : 302);
      const { data: customers } = await stripe.customers.list({ email });
      expect(customers).toHaveLength(isMember ? 1 : 0);
      const live = (await stripe.subscriptions.list({ limit: 100 })).data;
      expect(live).toHaveLength(isMember ? 1 : 0);
      expect((await stripe.charges.list({ limit: 100 })).data).toHaveLength(1);
      const { data: open } = await stripe.checkout.sessions.list({ status: "open", limit: 100 });
      expect(open).toEqual([]);
      await site.database.db.delete(users);
      await site.account.control("reset");
    }
    // each makes several calls
    expect(rounds).toBeGreaterThan(1);
  },
);
