import { sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { reconcile, runReconciliation } from "~/features/billing/reconcile.server";
import { syncCustomer } from "~/features/billing/sync-customer.server";
import { processUndeliveredEvents } from "~/features/billing/undelivered-events.server";
import { readAlerts } from "~/features/checks/alerts.server";
import { isSubscribed } from "~/features/membership/access";
import { getDatabase } from "~db/client";
import { readHealthFacts } from "~db/queries/operator-facts";
import { findProfile, updateProfile } from "~db/queries/profiles";
import { control, newMember, type Payer } from "../support/payments";
import { testSite } from "../support/site";

const DAY_MS = 24 * 60 * 60_000;
const site = testSite({ payments: {} });
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);
const fault = (fields: object) => control(site.sandboxOrigin, "faults", { times: 0, ...fields });
const mend = () => control(site.sandboxOrigin, "faults/clear");
afterEach(async () => {
  await mend();
  await getDatabase().db.execute(sql`truncate operator_signals, users cascade`);
});

const hasAccess = async ({ id }: Payer, at: Date) => isSubscribed(await findProfile(id), at);

async function alertState(now = new Date()) {
  const facts = await readHealthFacts({ place: "here", startId: crypto.randomUUID() });
  const { kind, state } = readAlerts(facts, [], "here", now).find(
    (one) => one.kind === "stripe-unreachable",
  ) ?? { kind: null, state: null };
  return kind && state;
}

/** Lets the outage have begun some days ago. */
const age = (days: number) =>
  getDatabase().db.execute(
    sql`update operator_signals set first_at = now() - ${days} * interval '1 day'`,
  );

describe.each([
  ["refuses the key", { kind: "error", status: 401 }],
  ["lacks a permission", { kind: "error", status: 403 }],
  ["does not answer", { kind: "destroy" }],
] as const)("while Stripe %s", (_what, failure) => {
  it("a renewing membership goes on day by day, a canceled one does not, and the operator is told", async () => {
    const [renewing, canceled, ended] = await Promise.all(
      [1, 2, 3].map(() => newMember(site.sandboxOrigin)),
    );
    if (!renewing || !canceled || !ended) throw new Error("There is no member.");
    await control(
      site.sandboxOrigin,
      `subscriptions/${canceled.subscription}/cancel-at-period-end`,
    );
    await syncCustomer(canceled.customer);
    const soon = new Date(Date.now() + 10 * 60_000);
    for (const { id } of [renewing, canceled]) {
      await updateProfile(id, { stripeCurrentPeriodEnd: soon, syncDueAt: new Date() });
    }
    await updateProfile(canceled.id, { stripeCancelAt: soon });
    // it was out of access before the outage
    await updateProfile(ended.id, { stripeCurrentPeriodEnd: inDays(-1) });
    await fault(failure);
    await runReconciliation(new Date());
    const { stripeCurrentPeriodEnd: end } = (await findProfile(renewing.id)) ?? {};
    expect(end).toEqual(new Date(soon.getTime() + DAY_MS));
    expect(await hasAccess(canceled, inDays(0.5))).toBe(false);
    expect(await hasAccess(ended, new Date())).toBe(false);
    // once a day
    await runReconciliation(new Date());
    expect((await findProfile(renewing.id))?.stripeCurrentPeriodEnd).toEqual(end);

    expect(await alertState(new Date(Date.now() + 20 * 60_000))).toBe("unknown");
    expect(await alertState(new Date(Date.now() + 31 * 60_000))).toBe("bad");
    await mend();
    await updateProfile(renewing.id, { syncDueAt: new Date() });
    await runReconciliation(new Date());
    expect(await alertState()).toBe("good");
    expect((await findProfile(renewing.id))?.stripeCurrentPeriodEnd?.getTime()).toBeGreaterThan(
      inDays(25).getTime(),
    );
  });
});

it("access is not extended for more than fourteen days of an outage", async () => {
  const member = await newMember(site.sandboxOrigin);
  const soon = new Date(Date.now() + 10 * 60_000);
  await fault({ kind: "error", status: 401 });
  await runReconciliation(new Date());
  await age(14.1);
  await updateProfile(member.id, { stripeCurrentPeriodEnd: soon });
  await runReconciliation(new Date());
  expect((await findProfile(member.id))?.stripeCurrentPeriodEnd).toEqual(soon);
});

it("one customer who cannot be read is no outage", async () => {
  await newMember(site.sandboxOrigin);
  await fault({ kind: "error", status: 400, match: "GET /v1/subscriptions" });
  await getDatabase().db.execute(sql`update profiles set sync_due_at = now()`);
  await runReconciliation(new Date());
  expect(await alertState()).toBe("good");
});

describe.each([2, 4, 29])("after an outage of %i days", (days) => {
  it("a refund on its first day ends access", async () => {
    const member = await newMember(site.sandboxOrigin);
    await processUndeliveredEvents();
    await control(site.sandboxOrigin, `subscriptions/${member.subscription}/refund`);
    await fault({ kind: "error", status: 401 });
    await runReconciliation(inDays(days / 2));
    await mend();
    const now = inDays(days);
    await runReconciliation(now);
    await reconcile(now);
    expect(await findProfile(member.id)).toMatchObject({ accessRevoked: "refund" });
  });
});

it("events are read from the newest in the ledger on if no reading was noted", async () => {
  const member = await newMember(site.sandboxOrigin);
  await getDatabase().db.execute(sql`truncate webhook_events`);
  await getDatabase().db.execute(sql`insert into webhook_events
    (id, type, occurred_at) values ('evt_0', 'invoice.paid', now())`);
  await control(site.sandboxOrigin, `subscriptions/${member.subscription}/refund`);
  await processUndeliveredEvents(inDays(10));
  await reconcile(inDays(10));
  expect(await findProfile(member.id)).toMatchObject({ accessRevoked: "refund" });
});
