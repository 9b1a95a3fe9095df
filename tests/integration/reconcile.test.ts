import { sql } from "drizzle-orm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { sync } from "~/commands/stripe-commands.server";
import { SANDBOX_STRIPE } from "~/env.server";
import { startCheckout } from "~/features/billing/checkout.server";
import { reconcile, reconcileAll, startReconciliation } from "~/features/billing/reconcile.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { WEBHOOK_EVENTS } from "~/features/billing/webhook.server";
import { isSubscribed } from "~/features/membership/access";
import { getDatabase } from "~db/client";
import { withInstanceLock } from "~db/queries/instance-lock";
import { findProfile } from "~db/queries/profiles";
import { profiles } from "~db/schema";
import { watchLog } from "../support/log";
import { control, newReader, type Reader } from "../support/payments";
import { testSite } from "../support/site";

// no webhook is delivered, so only reconciliation syncs
const site = testSite({ payments: {} });

async function paidReader(): Promise<Reader> {
  const reader = await newReader();
  const outcome = await startCheckout(reader, SANDBOX_STRIPE.priceId);
  if (outcome.kind !== "checkout") throw new Error(outcome.kind);
  await control(site.sandboxOrigin, `sessions/${outcome.sessionId}/pay`);
  return reader;
}

const hasAccess = async ({ id }: Reader) => isSubscribed(await findProfile(id), new Date());
const minutesFromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000);

describe("reconciliation", () => {
  it("gives access after a payment whose webhooks were all lost", async () => {
    const reader = await paidReader();
    expect(await hasAccess(reader)).toBe(false);
    await reconcile();
    expect(await hasAccess(reader)).toBe(true);
  });

  it("continues with the others if one customer cannot be synced", async () => {
    await getDatabase().db.update(profiles).set({ syncDueAt: null });
    const [first, second] = [await paidReader(), await paidReader()];
    await control(site.sandboxOrigin, "faults", {
      kind: "error",
      status: 400,
      match: "GET /v1/subscriptions",
      times: 1,
    });
    const result = await reconcile();
    expect(result).toMatchObject({ synced: 1, failed: 1 });
    // the failed one is deferred, so it never blocks the others
    expect(await reconcile(minutesFromNow(5))).toMatchObject({ failed: 0 });
    await reconcile(minutesFromNow(60));
    expect([await hasAccess(first), await hasAccess(second)]).toEqual([true, true]);
  });
});

describe("when syncs fail in a row", () => {
  /** Makes a number of rows due whose customers Stripe does not know, and only them. */
  const unknownCustomers = async (count: number) => {
    const { db } = getDatabase();
    await db.update(profiles).set({ syncDueAt: null });
    await db.execute(sql`delete from users where email like 'unknown-%'`);
    await db.execute(sql`
      with made as (
        insert into users (email, password_hash)
        select 'unknown-' || n || '@example.test', 'x' from generate_series(1, ${count}::int) n
        returning id
      )
      insert into profiles (id, stripe_customer_id, sync_due_at)
      select id, 'cus_unknown_' || id, now() from made`);
  };
  afterEach(() => getDatabase().db.execute(sql`delete from users where email like 'unknown-%'`));
  const givenUp = (lines: ReturnType<typeof watchLog>) =>
    lines.filter(({ message }) => message.startsWith("too many syncs failed in a row"));

  it("the timer stops after fifty, with a line, and leaves the rest to its next run", async () => {
    await unknownCustomers(70);
    const lines = watchLog();
    const { unknown } = await reconcile(minutesFromNow(1), { pageSize: 50 });
    expect(unknown).toHaveLength(50);
    expect(givenUp(lines)).toEqual([
      {
        level: "error",
        message: "too many syncs failed in a row; the rest of the members are synced later",
        facts: { synced: 0, failed: 0, unknown: 50 },
      },
    ]);
    expect((await reconcile(minutesFromNow(1))).unknown).toHaveLength(20);
  });

  it("the operator's command continues past customers that Stripe does not know", async () => {
    await unknownCustomers(60);
    expect((await reconcileAll()).unknown).toHaveLength(60);
  });

  it("the operator's command stops at other failures, and says how to continue", async () => {
    await unknownCustomers(60);
    const { subscriptions } = stripeClient();
    vi.spyOn(subscriptions, "list").mockImplementation(() => {
      throw new Error("Stripe is down.");
    });
    await expect(reconcileAll()).rejects.toThrow(/Too many syncs failed in a row.*--after/);
  });
});

it("the operator's command refuses two modes at once", async () => {
  await expect(sync({ all: true, fromStripe: true })).rejects.toThrow(/^Choose one of/);
});

describe("the timer", () => {
  /** Blocks the search for undelivered events and counts the runs, each of which begins with it. */
  const heldRuns = () => {
    const runs: (() => void)[] = [];
    vi.spyOn(stripeClient().events, "list").mockImplementation((query) => {
      // a run requests the events in two parts
      const isFirst = (query as { types: string[] }).types.includes(WEBHOOK_EVENTS[0] ?? "");
      const held = isFirst ? new Promise<void>((resolve) => runs.push(resolve)) : null;
      return (async function* () {
        await held;
        yield* [];
      })() as never;
    });
    return runs;
  };

  it("starts no run before the last one is over, and another one after it", async () => {
    const runs = heldRuns();
    const stop = startReconciliation(10);
    await expect.poll(() => runs.length).toBe(1);
    // enough intervals to be sure
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 10);
    await expect.poll(() => ticks).toBeGreaterThan(5);
    clearInterval(ticking);
    expect(runs).toHaveLength(1);
    runs[0]?.();
    await expect.poll(() => runs.length).toBe(2);
    const stopped = stop();
    runs[1]?.();
    await stopped;
    expect(runs).toHaveLength(2);
  });

  it("waits for another instance's run, and ends without one if stopped meanwhile", async () => {
    const runs = heldRuns();
    await withInstanceLock("reconciliation", async () => {
      const stop = startReconciliation(10);
      await getDatabase().db.execute(sql`select pg_sleep(0.1)`);
      await stop();
    });
    expect(runs).toHaveLength(0);
  });

  it("logs failures, and continues", async () => {
    const lines = watchLog();
    const messages = () => lines.map(({ level, message }) => `${level}: ${message}`);
    const { events } = stripeClient();
    const list = vi.spyOn(events, "list").mockImplementation(() => {
      throw new Error("Stripe is down.");
    });
    await getDatabase().db.execute(sql`alter table profiles rename to profiles_away`);
    const stop = startReconciliation(10);
    await expect.poll(messages).toContain("error: undelivered events could not be processed");
    await expect.poll(messages).toContain("error: reconciliation failed");
    await getDatabase().db.execute(sql`alter table profiles_away rename to profiles`);
    const before = list.mock.calls.length;
    await expect.poll(() => list.mock.calls.length).toBeGreaterThan(before);
    await stop();
  });
});
