import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { startCheckout } from "~/features/billing/checkout.server";
import { reconcile, reconcileAll, startReconciliation } from "~/features/billing/reconcile.server";
import { syncCustomer } from "~/features/billing/sync-customer.server";
import { isSubscribed } from "~/features/membership/access";
import { getDatabase } from "~db/client";
import { findProfile, updateProfile } from "~db/queries/profiles";
import { profiles } from "~db/schema";
import { control, liveSubscription, newReader, type Reader } from "../support/payments";
import { openTestSite, type TestSite } from "../support/site";

let site: TestSite;
beforeAll(async () => {
  // no webhook is delivered, so only reconciliation syncs
  site = await openTestSite({ payments: {} });
});
afterAll(() => site.close());

async function paidReader(): Promise<Reader> {
  const reader = await newReader();
  const outcome = await startCheckout(reader, SANDBOX_STRIPE.priceId);
  if (outcome.kind !== "checkout") throw new Error(outcome.kind);
  await control(site.sandboxOrigin, `sessions/${outcome.sessionId}/pay`);
  return reader;
}

async function memberReader(): Promise<Reader> {
  const reader = await paidReader();
  await syncCustomer((await findProfile(reader.id))?.stripeCustomerId ?? "");
  return reader;
}

const hasAccess = async ({ id }: Reader) => isSubscribed(await findProfile(id), new Date());
const minutesFromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000);
const beDue = (reader: Reader) => updateProfile(reader.id, { syncDueAt: new Date() });

describe("reconciliation", () => {
  it("gives access after a payment whose webhooks were all lost", async () => {
    const reader = await paidReader();
    expect(await hasAccess(reader)).toBe(false);
    await reconcile();
    expect(await hasAccess(reader)).toBe(true);
  });

  it("does so by itself, by its timer alone", async () => {
    const reader = await paidReader();
    const stop = startReconciliation(20);
    await expect.poll(() => hasAccess(reader)).toBe(true);
    await stop();
  });

  it("learns of a renewal whose webhook was lost", async () => {
    const reader = await memberReader();
    const subscription = await liveSubscription(reader);
    await updateProfile(reader.id, {
      stripeCurrentPeriodEnd: minutesFromNow(-1),
      syncDueAt: minutesFromNow(-1),
    });
    await control(site.sandboxOrigin, `subscriptions/${subscription}/renew`, { outcome: "paid" });
    expect(await hasAccess(reader)).toBe(false);
    await reconcile();
    expect(await hasAccess(reader)).toBe(true);
  });

  it("ends the access of a past-due member whose subscription was cancelled without a webhook", async () => {
    const reader = await memberReader();
    const subscription = await liveSubscription(reader);
    await control(site.sandboxOrigin, `subscriptions/${subscription}/renew`, {
      outcome: "declined",
    });
    await syncCustomer((await findProfile(reader.id))?.stripeCustomerId ?? "");
    expect((await findProfile(reader.id))?.stripeSubscriptionStatus).toBe("past_due");
    await control(site.sandboxOrigin, `subscriptions/${subscription}/give-up`, {
      afterRetries: "cancel",
    });
    await beDue(reader);
    await reconcile();
    expect(await hasAccess(reader)).toBe(false);
  });

  it("skips rows just synced, and members in the middle of their month", async () => {
    await getDatabase().db.update(profiles).set({ syncDueAt: null });
    await memberReader();
    const { synced } = await reconcile();
    expect(synced).toBe(0);
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
    // the failed one is deferred, so that it never blocks the others
    expect(await reconcile(minutesFromNow(5))).toMatchObject({ failed: 0 });
    await reconcile(minutesFromNow(60));
    expect([await hasAccess(first), await hasAccess(second)]).toEqual([true, true]);
  });

  it("syncs everyone after an outage, page by page", async () => {
    const members = await Promise.all(Array.from({ length: 5 }, memberReader));
    await getDatabase()
      .db.update(profiles)
      .set({ stripePriceId: null, stripeCurrentPeriodEnd: null });
    const { failed } = await reconcileAll();
    expect(failed).toBe(0);
    expect(await Promise.all(members.map(hasAccess))).toEqual(members.map(() => true));
  });
});

describe("many concurrent syncs of one customer", () => {
  it("end with Stripe's latest state", async () => {
    const reader = await memberReader();
    const customer = (await findProfile(reader.id))?.stripeCustomerId ?? "";
    const subscription = await liveSubscription(reader);
    await Promise.all([
      ...Array.from({ length: 20 }, () => syncCustomer(customer)),
      control(site.sandboxOrigin, `subscriptions/${subscription}/cancel`),
      ...Array.from({ length: 20 }, () => syncCustomer(customer)),
    ]);
    await syncCustomer(customer);
    const [row] = await getDatabase().db.select().from(profiles).where(eq(profiles.id, reader.id));
    expect(row).toMatchObject({ stripePriceId: null, stripeSubscriptionStatus: "canceled" });
  });
});
