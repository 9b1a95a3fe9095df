import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { forEachBilledProfile } from "~/features/billing/billed-profiles.server";
import { withCallPurpose } from "~/features/billing/call-purpose.server";
import { UnknownCustomer } from "~/features/billing/customer-billing.server";
import { reconcile, reconcileAll, startReconciliation } from "~/features/billing/reconcile.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { syncCustomer, takeSnapshot, writeSnapshot } from "~/features/billing/sync-customer.server";
import { receiveWebhook, WEBHOOK_EVENTS } from "~/features/billing/webhook.server";
import { isSubscribed } from "~/features/membership/access";
import { getDatabase } from "~db/client";
import { findProfile, nextSyncNumber, updateProfile } from "~db/queries/profiles";
import { control, newMember, newPayer } from "../support/payments";
import { openTestSite, type TestSite } from "../support/site";

let site: TestSite;
beforeAll(async () => {
  site = await openTestSite({ payments: {} });
});
afterAll(() => site.close());
afterEach(async () => {
  vi.restoreAllMocks();
  await control(site.sandboxOrigin, "faults/clear");
  await control(site.sandboxOrigin, "settings", { latencyMs: 0 });
});

const play = (path: string, fields: Record<string, unknown> = {}) =>
  control(site.sandboxOrigin, path, fields);
const hasAccess = async ({ id }: { id: string }) => isSubscribed(await findProfile(id), new Date());
const lookAt = async (customer: string) => {
  const snapshot = await takeSnapshot(customer);
  if (!snapshot) throw new Error("Nobody has the customer.");
  return snapshot;
};

describe("two looks at one customer", () => {
  it("leave what the later one saw, whichever is written last", async () => {
    const member = await newMember(site.sandboxOrigin);
    const earlier = await lookAt(member.customer);
    await play(`subscriptions/${member.subscription}/cancel`);
    const later = await lookAt(member.customer);
    const { db } = getDatabase();
    expect(await db.transaction((tx) => writeSnapshot(later, tx))).toMatchObject({
      isStale: false,
    });
    expect(await db.transaction((tx) => writeSnapshot(earlier, tx))).toMatchObject({
      isStale: true,
    });
    expect(await findProfile(member.id)).toMatchObject({
      stripePriceId: null,
      stripeSubscriptionStatus: "canceled",
      syncNumber: later.number,
    });
  });

  it("do so when they are written at the same moment", async () => {
    const member = await newMember(site.sandboxOrigin);
    const earlier = await lookAt(member.customer);
    await play(`subscriptions/${member.subscription}/cancel`);
    const later = await lookAt(member.customer);
    const { db } = getDatabase();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let hasWritten = () => {};
    const written = new Promise<void>((resolve) => {
      hasWritten = resolve;
    });
    const first = db.transaction(async (tx) => {
      await writeSnapshot(later, tx);
      hasWritten();
      await held;
    });
    await written;
    const second = db.transaction((tx) => writeSnapshot(earlier, tx));
    // it waits for the row's lock; without one, comparing numbers alone would let it continue
    await expect.poll(waitingForLocks).toBe(1);
    release();
    await first;
    expect(await second).toMatchObject({ isStale: true });
    expect(await findProfile(member.id)).toMatchObject({ stripeSubscriptionStatus: "canceled" });
  });

  it("are numbered before Stripe is asked", async () => {
    const member = await newMember(site.sandboxOrigin);
    const { subscriptions } = stripeClient();
    const list = subscriptions.list.bind(subscriptions);
    let whenAsked: Promise<number> | undefined;
    vi.spyOn(subscriptions, "list").mockImplementationOnce((...parameters) => {
      whenAsked = nextSyncNumber();
      return list(...(parameters as Parameters<typeof list>));
    });
    const { number } = await lookAt(member.customer);
    expect(number).toBeLessThan((await whenAsked) ?? 0);
  });

  it("are two where a webhook's must not wait for the timer's", async () => {
    const member = await newMember(site.sandboxOrigin);
    const [timer, again, webhook] = await Promise.all([
      lookAt(member.customer),
      lookAt(member.customer),
      withCallPurpose("webhook", () => lookAt(member.customer)),
    ]);
    expect(again).toBe(timer);
    expect(webhook.number).not.toBe(timer.number);
  });

  it("count by the customer they are about, though the row was given another meanwhile", async () => {
    const member = await newMember(site.sandboxOrigin);
    const other = await newMember(site.sandboxOrigin);
    const snapshot = await lookAt(member.customer);
    await updateProfile(member.id, { stripeCustomerId: null });
    const { db } = getDatabase();
    expect(await db.transaction((tx) => writeSnapshot(snapshot, tx))).toBeNull();
    expect(await hasAccess(other)).toBe(true);
  });
});

async function waitingForLocks(): Promise<number> {
  const [row] = await getDatabase().db.execute<{ count: string }>(
    sql`select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return Number(row?.count);
}

describe("while Stripe takes its time", () => {
  it("neither a connection nor a lock is held", async () => {
    const members = await Promise.all(
      Array.from({ length: 30 }, () => newMember(site.sandboxOrigin)),
    );
    await play("settings", { latencyMs: 1_500 });
    const before = await lastSyncNumber();
    const syncs = members.map(({ customer }) => syncCustomer(customer));
    const { db } = getDatabase();
    // each has taken its number, and waits for Stripe
    await expect.poll(lastSyncNumber, { timeout: 5_000 }).toBe(before + members.length);
    const [row] = await db.execute<{ count: string }>(
      sql`select count(*) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
    );
    expect(Number(row?.count)).toBe(0);
    const first = members[0];
    await db.execute(sql`select 1 from profiles where id = ${first?.id} for update nowait`);
    expect((await Promise.all(syncs)).every(({ kind }) => kind === "synced")).toBe(true);
  });
});

async function lastSyncNumber(): Promise<number> {
  const [row] = await getDatabase().db.execute<{ number: string }>(
    sql`select last_value as number from billing_sync_numbers`,
  );
  return Number(row?.number);
}

describe("every event that the endpoint is registered for", () => {
  const CASES: Record<(typeof WEBHOOK_EVENTS)[number], (member: Member) => object> = {
    "checkout.session.completed": (m) => ({ object: "checkout.session", customer: m.customer }),
    "checkout.session.async_payment_succeeded": (m) => session(m),
    "checkout.session.async_payment_failed": (m) => session(m),
    "checkout.session.expired": (m) => session(m),
    "customer.subscription.created": (m) => subscriptionOf(m),
    "customer.subscription.updated": (m) => subscriptionOf(m),
    "customer.subscription.deleted": (m) => subscriptionOf(m),
    "customer.subscription.paused": (m) => subscriptionOf(m),
    "customer.subscription.resumed": (m) => subscriptionOf(m),
    "invoice.paid": (m) => ({ object: "invoice", customer: m.customer }),
    "invoice.payment_failed": (m) => ({ object: "invoice", customer: m.customer }),
    "invoice.payment_action_required": (m) => ({ object: "invoice", customer: m.customer }),
    "invoice.marked_uncollectible": (m) => ({ object: "invoice", customer: m.customer }),
    "invoice.voided": (m) => ({ object: "invoice", customer: m.customer }),
    "customer.updated": (m) => ({ object: "customer", id: m.customer }),
    "customer.deleted": (m) => ({ object: "customer", id: m.customer }),
    "charge.refunded": (m) => ({ object: "charge", customer: m.customer }),
    "refund.failed": (m) => ({ object: "refund", charge: m.charge }),
    "charge.dispute.created": (m) => ({ object: "dispute", charge: m.charge }),
    "charge.dispute.updated": (m) => ({ object: "dispute", charge: m.charge }),
    "charge.dispute.closed": (m) => ({ object: "dispute", charge: m.charge }),
  };
  type Member = { customer: string; charge: string };
  const session = ({ customer }: Member) => ({ object: "checkout.session", customer });
  const subscriptionOf = ({ customer }: Member) => ({ object: "subscription", customer });

  it.each(Object.keys(CASES) as (keyof typeof CASES)[])("%s opens the door", async (type) => {
    expect(WEBHOOK_EVENTS).toContain(type);
    const payer = await newPayer(site.sandboxOrigin);
    const { data } = await stripeClient().charges.list({ customer: payer.customer });
    const object = CASES[type]({ customer: payer.customer, charge: data[0]?.id ?? "" });
    const payload = JSON.stringify({
      id: `evt_${payer.subscription}`,
      object: "event",
      created: Math.floor(Date.now() / 1_000),
      livemode: false,
      type,
      data: { object: { id: "obj_1", ...object } },
    });
    const { webhookSecret: secret } = SANDBOX_STRIPE;
    const signature = stripeClient().webhooks.generateTestHeaderString({ payload, secret });
    expect(await receiveWebhook(payload, signature)).toMatchObject({ status: 200 });
    expect(await hasAccess(payer)).toBe(true);
  });

  it("is what Stripe sends for what can happen to a membership", async () => {
    expect([...WEBHOOK_EVENTS].sort()).toEqual(Object.keys(CASES).sort());
  });
});

describe("a customer whom Stripe does not know", () => {
  it("is an error for the operator, and no reason to empty the row", async () => {
    const member = await newMember(site.sandboxOrigin);
    const before = await findProfile(member.id);
    await play(`customers/${member.customer}/forget`);
    await expect(syncCustomer(member.customer)).rejects.toThrow(UnknownCustomer);
    await expect(syncCustomer(member.customer)).rejects.toThrow(/STRIPE_SECRET_KEY/);
    expect(await findProfile(member.id)).toEqual(before);
    expect(await hasAccess(member)).toBe(true);

    expect((await reconcileAll()).unknown).toEqual([member.id]);
    expect(await findProfile(member.id)).toMatchObject({ stripeCustomerId: member.customer });
    // the timer comes back to it once a day, not every few minutes
    const soon = new Date(Date.now() + 60 * 60_000);
    expect((await reconcile(soon)).unknown).toEqual([]);

    expect((await reconcileAll({ unlinkUnknown: true })).unknown).toEqual([member.id]);
    expect(await findProfile(member.id)).toMatchObject({
      stripeCustomerId: null,
      stripePriceId: null,
      stripeSubscriptionId: null,
    });
  });

  it("is unlinked with all others, however many they are", async () => {
    const { db } = getDatabase();
    await db.execute(sql`
      with made as (
        insert into users (email, password_hash)
        select 'tester-' || n || '@example.test', 'x' from generate_series(1, 120) n
        returning id
      )
      insert into profiles (id, stripe_customer_id) select id, 'cus_ofTestMode' || id from made`);
    expect((await reconcileAll()).unknown).toHaveLength(120);
    expect((await reconcileAll({ unlinkUnknown: true })).unknown).toHaveLength(120);
    expect((await reconcileAll()).unknown).toEqual([]);
    await db.execute(sql`delete from users where email like 'tester-%'`);
  });

  it("was deleted at Stripe when it says so, and has nothing any more", async () => {
    const member = await newMember(site.sandboxOrigin);
    await play(`customers/${member.customer}/delete`);
    await syncCustomer(member.customer);
    expect(await hasAccess(member)).toBe(false);
  });
});

describe("a walk over all who have a customer", () => {
  const COUNT = 1_203;

  it("meets each once, page by page, and goes on from where it was stopped", async () => {
    const { db } = getDatabase();
    await db.execute(sql`
      with made as (
        insert into users (email, password_hash)
        select 'walker-' || n || '@example.test', 'x' from generate_series(1, ${COUNT}) n
        returning id
      )
      insert into profiles (id, stripe_customer_id) select id, 'cus_walker_' || id from made`);
    const met: string[] = [];
    const progress: { done: number; total: number; secondsLeft: number; reached: string }[] = [];
    const walk = (afterId: string | null = null) =>
      forEachBilledProfile(
        async ({ id }) => {
          met.push(id);
        },
        { afterId, onProgress: (now) => progress.push(now) },
      );
    const all = await walk();
    expect(met).toHaveLength(all);
    expect(new Set(met).size).toBe(all);
    expect(all).toBeGreaterThanOrEqual(COUNT);
    expect(progress.map(({ total }) => total)).toEqual(progress.map(() => all));
    expect(progress.at(-1)).toMatchObject({ done: all, secondsLeft: 0 });

    const stoppedAt = progress[0];
    met.length = 0;
    expect(await walk(stoppedAt?.reached)).toBe(all - (stoppedAt?.done ?? 0));
    await db.execute(sql`delete from users where email like 'walker-%'`);
  });

  it("by the timer ends with the program, without the rest", async () => {
    const members = await Promise.all(
      Array.from({ length: 80 }, () => newMember(site.sandboxOrigin)),
    );
    await Promise.all(members.map(({ id }) => updateProfile(id, { syncDueAt: new Date(0) })));
    await play("settings", { latencyMs: 300 });
    const before = await lastSyncNumber();
    const stop = startReconciliation(10);
    await expect.poll(lastSyncNumber, { timeout: 5_000 }).toBeGreaterThan(before);
    await stop();
    expect((await lastSyncNumber()) - before).toBeLessThan(members.length);
  });

  it("does several at the same time", async () => {
    const members = await Promise.all(
      Array.from({ length: 40 }, () => newMember(site.sandboxOrigin)),
    );
    await play("settings", { latencyMs: 200 });
    await Promise.all(members.map(({ id }) => updateProfile(id, { syncDueAt: new Date(0) })));
    const begun = Date.now();
    expect(await reconcile()).toMatchObject({ failed: 0 });
    // one after the other they would take 8 s at least
    expect(Date.now() - begun).toBeLessThan(4_000);
  });
});

describe("the timer's round", () => {
  /** Rows, due for a look, of customers whom Stripe does not know: the users' ids begin with `from`. */
  async function addUnknown(count: number, from: string): Promise<void> {
    await getDatabase().db.execute(sql`
      with made as (
        insert into users (id, email, password_hash)
        select (${from} || substr(gen_random_uuid()::text, 9))::uuid,
          'unknown-' || ${from} || n || '@example.test', 'x'
        from generate_series(1, ${count}) n
        returning id
      )
      insert into profiles (id, stripe_customer_id, sync_due_at)
      select id, 'cus_unknown_' || id, now() from made`);
  }

  beforeEach(async () => {
    await getDatabase().db.execute(sql`update profiles set sync_due_at = null`);
  });
  afterEach(async () => {
    await getDatabase().db.execute(sql`delete from users where email like 'unknown-%'`);
  });

  it("meets everybody who is due, page by page", async () => {
    const members = await Promise.all(
      Array.from({ length: 7 }, () => newMember(site.sandboxOrigin)),
    );
    await Promise.all(members.map(({ id }) => updateProfile(id, { syncDueAt: new Date(0) })));
    expect(await reconcile(new Date(), { pageSize: 2 })).toMatchObject({ synced: 7, failed: 0 });
    expect(await reconcile(new Date(), { pageSize: 2 })).toMatchObject({ synced: 0 });
  });

  it("stops when one sync after the other fails, and leaves unknown customers for a day", async () => {
    await addUnknown(100, "00000000");
    const first = (await reconcile()).unknown.length;
    expect(first).toBeGreaterThanOrEqual(50);
    expect(first).toBeLessThan(100);
    // those already tried are deferred, so that they do not block the others
    const second = (await reconcile()).unknown.length;
    expect(first + second).toBe(100);
    expect(await reconcile()).toEqual({ synced: 0, failed: 0, unknown: [] });
    const tomorrow = new Date(Date.now() + 25 * 60 * 60_000);
    expect((await reconcile(tomorrow)).unknown.length).toBeGreaterThanOrEqual(50);
  });

  it("goes on past failures that have a success between them", async () => {
    const member = await newMember(site.sandboxOrigin);
    await updateProfile(member.id, { syncDueAt: new Date(0) });
    // more than in a row would end the round, whichever of those at the same time comes last
    await addUnknown(26, "00000000");
    await addUnknown(26, "ffffffff");
    const soon = new Date(Date.now() + 1_000);
    const { synced, unknown } = await reconcile(soon, { pageSize: 27 });
    expect({ synced, unknown: unknown.length }).toEqual({ synced: 1, unknown: 52 });
  });
});
