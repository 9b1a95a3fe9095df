import type Stripe from "stripe";
import { expect, it, onTestFinished } from "vitest";
import { openAlteredStripe } from "../../support/altered-stripe";
import { Visitor } from "../../support/http-client";
import { freePorts } from "../../support/ports.mjs";
import { createTestDatabase } from "../../support/postgres";
import { type Program, startProgram, temporaryDirectory } from "../../support/program";
import { openSandbox, SANDBOX_KEY, SANDBOX_PRICE } from "../../support/stripe-sandbox";

it("a kill after any call to Stripe costs nobody a second payment, or access", {
  timeout: 300_000,
}, async () => {
  const account = await openSandbox();
  const data = temporaryDirectory();
  const database = await createTestDatabase();
  let program: Program;
  /** The call after which the program is killed, which Stripe carries out and whose answer it never sees. */
  let callsLeft = 0;
  const stripe = await openAlteredStripe(account.origin, async () => {
    callsLeft -= 1;
    if (callsLeft === 0) await program.stop("SIGKILL");
  });
  const variables = {
    PORT: String(await freePorts(1)),
    DATA_DIR: data.path,
    DATABASE_URL: database.url,
    STRIPE_SECRET_KEY: SANDBOX_KEY,
    STRIPE_PRICE_ID: SANDBOX_PRICE.id,
    STRIPE_WEBHOOK_SECRET: "whsec_nothingIsDelivered",
    STRIPE_API_BASE: stripe,
    HOST: "localhost",
  };
  program = await startProgram({ variables });
  onTestFinished(async () => {
    await program.stop();
    await database.drop();
    data.remove();
  });

  /** Kills the program after a number of calls, if there are so many, and starts it again. */
  async function killAfter(calls: number, step: () => Promise<unknown>): Promise<boolean> {
    callsLeft = calls;
    await step().catch(() => null);
    const wasKilled = callsLeft <= 0;
    callsLeft = 0;
    if (wasKilled) program = await startProgram({ variables });
    return wasKilled;
  }

  let rounds = 0;
  for (let wasKilled = true; wasKilled; rounds += 1) {
    const email = `reader-${rounds}@example.com`;
    const visitor = new Visitor(program.origin);
    await visitor.signUp(email);
    const checkout = () => visitor.post("/checkout", { json: { priceId: SANDBOX_PRICE.id } });
    wasKilled = await killAfter(rounds + 1, checkout);
    const { sessionId } = JSON.parse((await checkout()).text);
    await account.control(`sessions/${sessionId}/pay`);
    const success = () => visitor.get(`/checkout/success?session_id=${sessionId}`);
    wasKilled = (await killAfter(rounds + 1, success)) || wasKilled;
    await success();

    // 503 until the edition is read, soon after the start
    await expect.poll(async () => (await visitor.get("/premium/chapters")).status).not.toBe(503);
    expect((await visitor.get("/premium/chapters")).status).toBe(200);
    const { data: customers } = await account.stripe.customers.list({ email });
    expect(customers).toHaveLength(1);
    const customer = customers[0]?.id ?? "";
    const all = { customer, limit: 100 } satisfies Stripe.SubscriptionListParams;
    expect((await account.stripe.subscriptions.list({ ...all, status: "all" })).data).toHaveLength(
      1,
    );
    expect((await account.stripe.charges.list(all)).data).toHaveLength(1);
    const { data: open } = await account.stripe.checkout.sessions.list({
      customer,
      status: "open",
    });
    expect(open).toEqual([]);
  }
  // the customer and the session were made in a round each
  expect(rounds).toBeGreaterThan(2);
});
