import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { forEachBilledProfile } from "~/features/billing/billed-profiles.server";
import { UnknownCustomer } from "~/features/billing/customer-billing.server";
import { reconcile, reconcileAll, startReconciliation } from "~/features/billing/reconcile.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { syncCustomer, takeSnapshot, writeSnapshot } from "~/features/billing/sync-customer.server";
import { receiveWebhook, WEBHOOK_EVENTS } from "~/features/billing/webhook.server";
import { isSubscribed } from "~/features/membership/access";
import { getDatabase } from "~db/client";
import { ensureProfile, findProfile, nextSyncNumber, updateProfile } from "~db/queries/profiles";
import { control, newMember, newPayer, newReader, type Payer } from "../support/payments";
import { testSite } from "../support/site";

const site = testSite({ payments: {} });

const play = (path: string, fields: Record<string, unknown> = {}) =>
  control(site.sandboxOrigin, path, fields);
const hasAccess = async ({ id }: { id: string }) => isSubscribed(await findProfile(id), new Date());
const snapshotOf = async (customer: string) => {
  const snapshot = await takeSnapshot(customer);
  if (!snapshot) throw new Error("Nobody has the customer.");
  return snapshot;
};

describe("two snapshots of one customer", () => {
  it("are ordered by their number when they are written concurrently", async () => {
    const member = await newMember(site.sandboxOrigin);
    const earlier = await snapshotOf(member.customer);
    await play(`subscriptions/${member.subscription}/cancel`);
    const later = await snapshotOf(member.customer);
    const { db } = getDatabase();
    let second: ReturnType<typeof writeSnapshot> | undefined;
    await db.transaction(async (tx) => {
      await writeSnapshot(later, tx);
      second = db.transaction((other) => writeSnapshot(earlier, other));
      // it waits for the row's lock; without one, comparing numbers alone would let it continue
      await expect.poll(waitingForLocks).toBe(1);
    });
    expect(await second).toMatchObject({ isStale: true });
    expect(await findProfile(member.id)).toMatchObject({ stripeSubscriptionStatus: "canceled" });
  });

  it("get their number before the call to Stripe", async () => {
    const member = await newMember(site.sandboxOrigin);
    const { subscriptions } = stripeClient();
    const list = subscriptions.list.bind(subscriptions);
    let numberAtCall: Promise<number> | undefined;
    vi.spyOn(subscriptions, "list").mockImplementationOnce((...parameters) => {
      numberAtCall = nextSyncNumber();
      return list(...(parameters as Parameters<typeof list>));
    });
    const { number } = await snapshotOf(member.customer);
    expect(number).toBeLessThan((await numberAtCall) ?? 0);
  });

  it("are not written to a row whose customer has changed meanwhile", async () => {
    const member = await newMember(site.sandboxOrigin);
    const other = await newMember(site.sandboxOrigin);
    const snapshot = await snapshotOf(member.customer);
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

/** Rows of customers without a membership, which a sync requests from Stripe. */
const addCustomers = (count: number, fields: { syncDueAt?: Date } = {}) =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const { id } = await newReader();
      const { id: customer } = await stripeClient().customers.create({});
      await ensureProfile(id);
      await updateProfile(id, { stripeCustomerId: customer, ...fields });
      return { id, customer };
    }),
  );

/** Holds Stripe's responses about subscriptions until `release`; `count` is the number of waiting calls. */
function holdSubscriptions() {
  const { subscriptions } = stripeClient();
  const list = subscriptions.list.bind(subscriptions);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const held = { count: 0, release: () => release() };
  vi.spyOn(subscriptions, "list").mockImplementation((...parameters) => {
    held.count++;
    return (async function* () {
      await released;
      yield* list(...parameters);
    })() as never;
  });
  return held;
}

describe("while Stripe is slow", () => {
  it("no sync holds a connection or a lock", async () => {
    const customers = await addCustomers(30);
    const stripe = holdSubscriptions();
    const syncs = customers.map(({ customer }) => syncCustomer(customer));
    const { db } = getDatabase();
    await expect.poll(() => stripe.count).toBe(customers.length);
    const [row] = await db.execute<{ count: string }>(
      sql`select count(*) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'
            and backend_type = 'client backend'`,
    );
    expect(Number(row?.count)).toBe(0);
    await db.execute(sql`select 1 from profiles where id = ${customers[0]?.id} for update nowait`);
    stripe.release();
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
  /** The object of an event, by the first telling word of its type. */
  const ABOUT: [prefix: string, about: (member: { customer: string; charge: string }) => object][] =
    [
      ["checkout.session.", ({ customer }) => ({ object: "checkout.session", customer })],
      ["customer.subscription.", ({ customer }) => ({ object: "subscription", customer })],
      ["invoice.", ({ customer }) => ({ object: "invoice", customer })],
      ["customer.", ({ customer }) => ({ object: "customer", id: customer })],
      ["charge.dispute.", ({ charge }) => ({ object: "dispute", charge })],
      ["charge.", ({ customer }) => ({ object: "charge", customer })],
      ["refund.", ({ charge }) => ({ object: "refund", charge })],
    ];

  let payer: Payer;
  beforeAll(async () => {
    payer = await newPayer(site.sandboxOrigin);
  });

  it.each([...WEBHOOK_EVENTS])("%s gives access", async (type) => {
    await updateProfile(payer.id, { stripePriceId: null });
    const { data } = await stripeClient().charges.list({ customer: payer.customer });
    const about = ABOUT.find(([prefix]) => type.startsWith(prefix))?.[1];
    const object = about?.({ customer: payer.customer, charge: data[0]?.id ?? "" });
    const payload = JSON.stringify({
      id: `evt_${type}`,
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
});

describe("a customer whom Stripe does not know", () => {
  it("is an error for the operator, and the row is not cleared", async () => {
    const member = await newMember(site.sandboxOrigin);
    const before = await findProfile(member.id);
    await play(`customers/${member.customer}/forget`);
    await expect(syncCustomer(member.customer)).rejects.toThrow(UnknownCustomer);
    await expect(syncCustomer(member.customer)).rejects.toThrow(/STRIPE_SECRET_KEY/);
    expect(await findProfile(member.id)).toEqual(before);
    expect(await hasAccess(member)).toBe(true);

    expect((await reconcileAll()).unknown).toEqual([member.id]);
    expect(await findProfile(member.id)).toMatchObject({ stripeCustomerId: member.customer });
    // the timer retries it once a day, not every few minutes
    const soon = new Date(Date.now() + 60 * 60_000);
    expect((await reconcile(soon)).unknown).toEqual([]);

    expect((await reconcileAll({ unlinkUnknown: true })).unknown).toEqual([member.id]);
    expect(await findProfile(member.id)).toMatchObject({
      stripeCustomerId: null,
      stripePriceId: null,
      stripeSubscriptionId: null,
    });
  });

  it("loses access if Stripe says it was deleted", async () => {
    const member = await newMember(site.sandboxOrigin);
    await play(`customers/${member.customer}/delete`);
    await syncCustomer(member.customer);
    expect(await hasAccess(member)).toBe(false);
  });
});

describe("going through all rows with a customer", () => {
  const COUNT = 1_203;

  it("visits each once, page by page, and can resume where it stopped", async () => {
    const { db } = getDatabase();
    await db.execute(sql`
      with made as (
        insert into users (email, password_hash)
        select 'billed-' || n || '@example.test', 'x' from generate_series(1, ${COUNT}) n
        returning id
      )
      insert into profiles (id, stripe_customer_id) select id, 'cus_billed_' || id from made`);
    const visited: string[] = [];
    const progress: { done: number; total: number; secondsLeft: number; reached: string }[] = [];
    const visit = async ({ id }: { id: string }) => void visited.push(id);
    const walk = (afterId: string | null = null) =>
      forEachBilledProfile(visit, { afterId, onProgress: (now) => progress.push(now) });
    const all = await walk();
    expect(visited).toHaveLength(all);
    expect(new Set(visited).size).toBe(all);
    expect(all).toBeGreaterThanOrEqual(COUNT);
    expect(progress.map(({ total }) => total)).toEqual(progress.map(() => all));
    expect(progress.at(-1)).toMatchObject({ done: all, secondsLeft: 0 });

    const stoppedAt = progress[0];
    visited.length = 0;
    expect(await walk(stoppedAt?.reached)).toBe(all - (stoppedAt?.done ?? 0));
    await db.execute(sql`delete from users where email like 'billed-%'`);
  });

  it("stops with the program when the timer does it, without finishing", async () => {
    const customers = await addCustomers(40, { syncDueAt: new Date(0) });
    const before = await lastSyncNumber();
    const stripe = holdSubscriptions();
    const stop = startReconciliation(10);
    await expect.poll(() => stripe.count).toBeGreaterThan(0);
    const stopped = stop();
    stripe.release();
    await stopped;
    expect((await lastSyncNumber()) - before).toBeLessThan(customers.length);
  });
});

describe("one run of the timer", () => {
  /** Adds due rows of 26 customers that Stripe does not know, whose ids start with `idPrefix`. */
  const addUnknown = (idPrefix: string) =>
    getDatabase().db.execute(sql`
      with made as (
        insert into users (id, email, password_hash)
        select (${idPrefix} || substr(gen_random_uuid()::text, 9))::uuid,
          'unknown-' || ${idPrefix} || n || '@example.test', 'x'
        from generate_series(1, 26) n
        returning id
      )
      insert into profiles (id, stripe_customer_id, sync_due_at)
      select id, 'cus_unknown_' || id, now() from made`);

  it("continues after failures that are not consecutive", async () => {
    const member = await newMember(site.sandboxOrigin);
    await getDatabase().db.execute(sql`update profiles set sync_due_at = null`);
    await updateProfile(member.id, { syncDueAt: new Date(0) });
    // more than would stop the run if they were consecutive, in any order of the concurrent ones
    await addUnknown("00000000");
    await addUnknown("ffffffff");
    const soon = new Date(Date.now() + 1_000);
    const { synced, unknown } = await reconcile(soon, { pageSize: 27 });
    expect({ synced, unknown: unknown.length }).toEqual({ synced: 1, unknown: 52 });
  });
});
