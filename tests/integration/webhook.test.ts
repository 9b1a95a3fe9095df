import { sql } from "drizzle-orm";
import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { SANDBOX_STRIPE, setEnvironment } from "~/env.server";
import { startCheckout } from "~/features/billing/checkout.server";
import { apiVersion } from "~/features/billing/setup-webhook.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { isSubscribed } from "~/features/membership/access";
import { writeCountedSignals } from "~/observability/operator-signals.server";
import { action as webhook, loader as webhookPage } from "~/routes/webhooks.stripe/route";
import { getDatabase } from "~db/client";
import { findProfile } from "~db/queries/profiles";
import { insertWebhookEvent, recordUnlessOwned } from "~db/queries/webhook-events";
import { watchLog } from "../support/log";
import { control, newPayer, newReader } from "../support/payments";
import { call, get, ORIGIN } from "../support/routes";
import { testSite } from "../support/site";

const site = testSite({ payments: {} });

let count = 0;

function eventFor(customer: string, fields: Partial<Stripe.Event> = {}): string {
  return JSON.stringify({
    id: `evt_test_${process.pid}_${Date.now()}_${++count}`,
    object: "event",
    api_version: apiVersion(),
    created: Math.floor(Date.now() / 1000),
    livemode: false,
    type: "customer.subscription.updated",
    data: { object: { id: "sub_1", object: "subscription", customer } },
    ...fields,
  });
}

type Signing = { secret?: string; timestamp?: number };

function deliver(body: string, { secret = SANDBOX_STRIPE.webhookSecret, timestamp }: Signing = {}) {
  const signature = stripeClient().webhooks.generateTestHeaderString({
    payload: body,
    secret,
    ...(timestamp ? { timestamp } : {}),
  });
  return send(body, { "Stripe-Signature": signature });
}

const send = (body: string, headers: Record<string, string> = {}) =>
  call(
    webhook,
    new Request(`${ORIGIN}/webhooks/stripe`, {
      method: "POST",
      body,
      headers: { "Content-Type": "application/json", ...headers },
    }),
  );

/** The number of the ledger's entries, of one event or in all. */
async function ledger(id?: string): Promise<number> {
  const which = id ? sql`id = ${id}` : sql`true`;
  return (await getDatabase().db.execute(sql`select from webhook_events where ${which}`)).length;
}

const idOf = (body: string) => (JSON.parse(body) as { id: string }).id;
const hasAccess = async (id: string) => isSubscribed(await findProfile(id), new Date());

describe("a delivery", () => {
  it("gives access to its customer according to Stripe's API, not to its own contents", async () => {
    const reader = await newPayer(site.sandboxOrigin);
    expect((await deliver(eventFor(reader.customer))).status).toBe(200);
    expect(await hasAccess(reader.id)).toBe(true);
  });

  it("with false contents about a subscription gives no access", async () => {
    const reader = await newReader();
    await startCheckout(reader, SANDBOX_STRIPE.priceId);
    const customer = (await findProfile(reader.id))?.stripeCustomerId ?? "";
    const misleading = eventFor(customer, {
      data: { object: { id: "sub_x", object: "subscription", customer, status: "active" } },
    } as unknown as Partial<Stripe.Event>);
    expect((await deliver(misleading)).status).toBe(200);
    expect(await hasAccess(reader.id)).toBe(false);
  });

  it("of live mode is accepted with a live key, and one of test mode is not", async () => {
    const secret = "whsec_ofLiveMode";
    setEnvironment({
      STRIPE_SECRET_KEY: "sk_live_aKeyThatAsksStripeNothingHere",
      STRIPE_PRICE_ID: "price_ofLiveMode",
      STRIPE_WEBHOOK_SECRET: secret,
      LOG_LEVEL: "silent",
    });
    // about an unknown customer, so Stripe is not called
    const live = eventFor("cus_stranger", { livemode: true });
    expect((await deliver(live, { secret })).status).toBe(200);
    expect(await ledger(idOf(live))).toBe(1);
    const test = eventFor("cus_stranger", { livemode: false });
    expect((await deliver(test, { secret })).status).toBe(400);
    expect(await ledger(idOf(test))).toBe(0);
  });

  it("stays pending if a profile has its customer, and is otherwise recorded by one of several", async () => {
    const reader = await newPayer(site.sandboxOrigin);
    const event = {
      id: `evt_pending_${Date.now()}`,
      type: "invoice.paid",
      apiVersion: null,
      stripeCustomerId: reader.customer,
      occurredAt: new Date(),
    };
    expect(await recordUnlessOwned(event)).toBe("pending");
    expect(await ledger(event.id)).toBe(0);
    await insertWebhookEvent(event);
    expect(await recordUnlessOwned(event)).toBe("known");
    const ofNobody = { ...event, id: `${event.id}_2`, stripeCustomerId: null };
    const states = await Promise.all([1, 2, 3].map(() => recordUnlessOwned(ofNobody)));
    expect(states.toSorted()).toEqual(["known", "known", "recorded"]);
  });

  it("of an unhandled type is accepted without an entry in the ledger", async () => {
    const event = eventFor("cus_1", { type: "balance.available" as Stripe.Event["type"] } as never);
    expect((await deliver(event)).status).toBe(200);
    expect(await ledger(idOf(event))).toBe(0);
  });
});

describe("a rejected delivery leaves no trace in the database", () => {
  const body = () => eventFor("cus_1");
  const now = () => Math.floor(Date.now() / 1000);
  it.each<[string, number, () => Promise<Response>]>([
    ["no signature", 400, () => send(body())],
    ["a forged signature", 400, () => send(body(), { "Stripe-Signature": "t=1,v1=00" })],
    ["a wrong secret", 400, () => deliver(body(), { secret: "whsec_another" })],
    ["a delivery older than 300 s", 400, () => deliver(body(), { timestamp: now() - 301 })],
    ["an event of live mode", 400, () => deliver(eventFor("cus_1", { livemode: true }))],
    ["a signed body that is not JSON", 400, () => deliver("not json")],
    ["a signed body that is not an event", 400, () => deliver("[]")],
    ["a body over 1 MB", 413, () => deliver(`"${"x".repeat(1024 * 1024)}"`)],
    ["another method", 405, () => call(webhook, new Request(ORIGIN, { method: "PUT" }))],
    ["a visit with a browser", 405, () => get(webhookPage, "/webhooks/stripe")],
  ])("%s", async (_what, status, request) => {
    const before = await ledger();
    expect((await request()).status).toBe(status);
    expect(await ledger()).toBe(before);
  });

  it("unless it is signed with one of the secrets during their rotation", async () => {
    setEnvironment({
      STRIPE_SECRET_KEY: SANDBOX_STRIPE.secretKey,
      STRIPE_PRICE_ID: SANDBOX_STRIPE.priceId,
      STRIPE_WEBHOOK_SECRET: "whsec_new,whsec_old",
      STRIPE_API_BASE: site.sandboxOrigin,
      LOG_LEVEL: "silent",
    });
    for (const secret of ["whsec_new", "whsec_old"]) {
      expect((await deliver(body(), { secret })).status).toBe(200);
    }
    expect((await deliver(body())).status).toBe(400);
  });
});

describe("the operator gets an alert", () => {
  /** The signals of rejected deliveries in the database, after deliveries have been counted. */
  async function signalsAfter(deliveries: () => Promise<Response>[]): Promise<string[]> {
    await Promise.all(deliveries());
    await writeCountedSignals();
    const rows = await getDatabase().db.execute<{ name: string }>(
      sql`select name from operator_signals where name <> 'webhook-accepted' order by name`,
    );
    return rows.map(({ name }) => name);
  }

  it("for no thin event, unless its signature is wrong", async () => {
    const thin = JSON.stringify({ id: "evt_1", object: "v2.core.event", type: "v1.invoice.paid" });
    const accepted = () => [deliver(eventFor("cus_stranger"))];
    await expect.poll(() => signalsAfter(accepted)).toEqual([]);
    expect((await deliver(thin)).status).toBe(200);
    expect(await signalsAfter(() => [deliver(thin)])).toEqual([]);
    const forged = () => [deliver(thin, { secret: "whsec_another" })];
    await expect.poll(() => signalsAfter(forged)).toEqual(["webhook-refused"]);
  });

  it("for a delivery with a wrong signature or livemode, but not for one with no signature", async () => {
    const lines = watchLog();
    // repeatedly, since earlier counts may still be about to be written or cleared
    const harmless = () => [deliver(eventFor("cus_stranger")), send(eventFor("cus_1"))];
    await expect.poll(() => signalsAfter(harmless)).toEqual([]);
    const wrong = () => [
      deliver(eventFor("cus_1"), { secret: "whsec_another" }),
      deliver(eventFor("cus_1", { livemode: true })),
    ];
    const told = ["webhook-livemode-mismatch", "webhook-refused"];
    await expect.poll(() => signalsAfter(wrong)).toEqual(told);
    const failed = "a signal for the operator could not be counted";
    expect(lines.map(({ message }) => message)).not.toContain(failed);
  });
});

describe("failed processing", () => {
  it.each([
    ["Stripe is down", { kind: "destroy" }],
    ["Stripe responds with 500", { kind: "error", status: 500 }],
    ["Stripe's response is cut off", { kind: "truncate" }],
  ])("is left for Stripe to retry when %s", async (_why, kind) => {
    const reader = await newPayer(site.sandboxOrigin);
    const event = eventFor(reader.customer);
    await control(site.sandboxOrigin, "faults", { ...kind, times: 0 });
    expect((await deliver(event)).status).toBe(500);
    expect(await ledger(idOf(event))).toBe(0);
    expect(await hasAccess(reader.id)).toBe(false);

    await control(site.sandboxOrigin, "faults/clear");
    expect((await deliver(event)).status).toBe(200);
    expect(await hasAccess(reader.id)).toBe(true);
  });
});

describe("fifty concurrent deliveries", () => {
  it("of the same event enter the ledger once", async () => {
    const reader = await newPayer(site.sandboxOrigin);
    const event = eventFor(reader.customer);
    const lines = watchLog();
    const answers = await Promise.all(Array.from({ length: 50 }, () => deliver(event)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    // all of them may have found the ledger empty, but only one was processed
    const messages = await Promise.all(answers.map((answer) => answer.text()));
    expect(messages.toSorted()).toEqual(["Done.", ...Array(49).fill("Done before.")].toSorted());
    expect(new Set(lines.map(({ message }) => message))).toEqual(
      new Set(["billing state synced", "webhook processed", "webhook already processed"]),
    );
    expect(await ledger(idOf(event))).toBe(1);
    expect(await hasAccess(reader.id)).toBe(true);
  });

  it("of different events of one customer are all processed, without a deadlock", async () => {
    const reader = await newPayer(site.sandboxOrigin);
    const events = Array.from({ length: 50 }, () => eventFor(reader.customer));
    const answers = await Promise.all(events.map((event) => deliver(event)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const entered = await Promise.all(events.map((event) => ledger(idOf(event))));
    expect(entered.every((times) => times === 1)).toBe(true);
    expect(await hasAccess(reader.id)).toBe(true);
  });
});
