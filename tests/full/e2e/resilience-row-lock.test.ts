import { sql } from "drizzle-orm";
import Stripe from "stripe";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { send } from "../../support/http-client";
import { control } from "../../support/payments";
import { type Program, startProgram, temporaryDirectory } from "../../support/program";
import { type ProgramSite, startProgramSite } from "../../support/program-site";

const { secretKey, priceId, webhookSecret } = SANDBOX_STRIPE;
const data = temporaryDirectory();

let site: ProgramSite;
let second: Program;

beforeAll(async () => {
  site = await startProgramSite({ PAYMENTS: "sandbox" });
  second = await startProgram({
    variables: {
      DATABASE_URL: site.databaseUrl,
      DATA_DIR: data.path,
      PAYMENTS: "stripe",
      STRIPE_SECRET_KEY: secretKey,
      STRIPE_PRICE_ID: priceId,
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_API_BASE: site.program.sandboxOrigin,
      HOST: "localhost",
    },
  });
});
afterAll(async () => {
  await second?.stop();
  await site?.close();
  data.remove();
});

const play = <Answer>(path: string, fields: Record<string, unknown> = {}) =>
  control<Answer>(site.program.sandboxOrigin, path, fields);

/** Creates a member; returns the ids at Stripe. */
async function member(): Promise<{ customer: string; subscription: string }> {
  const visitor = site.visitor();
  await visitor.signUp("raced@example.test");
  const checkout = await visitor.post("/checkout", { json: { priceId } });
  const { sessionId } = JSON.parse(checkout.text) as { sessionId: string };
  type Paid = { session: { customer: string; subscription: string } };
  const { session } = await play<Paid>(`sessions/${sessionId}/pay`);
  await play("webhooks/settle");
  return session;
}

/** Delivers an event about a customer to one of the two programs. */
function deliver({ origin }: { origin: string }, id: string, customer: string) {
  const body = JSON.stringify({
    id,
    object: "event",
    type: "customer.subscription.updated",
    created: Math.floor(Date.now() / 1000),
    livemode: false,
    data: { object: { id: "sub_1", object: "subscription", customer } },
  });
  const signature = Stripe.webhooks.generateTestHeaderString({
    payload: body,
    secret: webhookSecret,
  });
  const headers = { "Stripe-Signature": signature };
  return send(`${origin}/webhooks/stripe`, { method: "POST", body, headers });
}

async function waitingForLocks(): Promise<number> {
  const [row] = await site.database.db.execute<{ count: number }>(sql`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`);
  return row?.count ?? -1;
}

it("two processes that write one member's row leave it in the state of the later snapshot", async () => {
  const { customer, subscription } = await member();
  await play("webhooks", { mode: "drop" });
  // keeps the timers, which process undelivered events, from taking a third snapshot
  await play("faults", { kind: "error", status: 500, times: 0, match: "GET /v1/events" });
  const { db } = site.database;
  let earlier: ReturnType<typeof deliver> | undefined;
  let later: ReturnType<typeof deliver> | undefined;
  await db.transaction(async (tx) => {
    await tx.execute(sql`select 1 from profiles where stripe_customer_id = ${customer} for update`);
    // the first process has taken its number, and waits for Stripe
    await play("faults", { kind: "slow", ms: 5_000, times: 1, match: "GET /v1/subscriptions" });
    earlier = deliver(site, "evt_earlier", customer);
    const faultsLeft = async () => {
      type State = { faults: unknown[] };
      const state = await control<State>(site.program.sandboxOrigin, "state", undefined, "GET");
      return state.faults.length;
    };
    await expect.poll(faultsLeft).toBe(1);
    // the second takes its snapshot later, and is the first to wait for the row
    await play(`subscriptions/${subscription}/cancel`);
    later = deliver(second, "evt_later", customer);
    await expect.poll(waitingForLocks).toBe(1);
    await expect.poll(waitingForLocks).toBe(2);
  });
  expect((await earlier)?.status).toBe(200);
  expect((await later)?.status).toBe(200);
  const [row] = await db.execute(sql`
    select stripe_subscription_status as status, sync_number = last_value as is_latest
    from profiles, billing_sync_numbers where stripe_customer_id = ${customer}`);
  expect(row).toEqual({ status: "canceled", is_latest: true });
});
