import { describe, expect, it, vi } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { startCheckout } from "~/features/billing/checkout.server";
import { fetchBilling } from "~/features/billing/customer-billing.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { syncCustomer } from "~/features/billing/sync-customer.server";
import { isSubscribed } from "~/features/membership/access";
import { membershipProblem } from "~/features/membership/membership-state";
import { loader as billing } from "~/routes/billing/route";
import { getDatabase } from "~db/client";
import { findProfile } from "~db/queries/profiles";
import { mails } from "~db/schema";
import { watchLog } from "../support/log";
import { control, newMember, newPayer, type Payer } from "../support/payments";
import { flashOf, get } from "../support/routes";
import { testSite } from "../support/site";

const DAY = 24 * 60 * 60;
const site = testSite({ payments: {} });

const ask = (member: Payer, action: string, fields = {}) =>
  control(site.sandboxOrigin, `subscriptions/${member.subscription}/${action}`, fields);

/** Syncs a member, and returns the end of access in days from now; null without a price. */
async function daysLeft(member: Payer): Promise<number | null> {
  await syncCustomer(member.customer);
  const { stripePriceId, stripeCurrentPeriodEnd: end } = await rowOf(member);
  if (!stripePriceId || !end) return null;
  return Math.round((end.getTime() - Date.now()) / 1_000 / DAY);
}

async function rowOf({ id }: { id: string }) {
  const row = await findProfile(id);
  if (!row) throw new Error("There is no profile.");
  return row;
}

const hasAccess = async (member: Payer) => isSubscribed(await rowOf(member), new Date());
const problemOf = async (member: Payer) => membershipProblem(await rowOf(member));

/** Lets a member's period have ended some days ago, with an outcome for the next one. */
async function renewAgo(member: Payer, days: number, outcome: string) {
  await ask(member, "renew", { outcome });
  await ask(member, "age", { days });
}

describe("a bank debit", () => {
  it.each(["active", "incomplete"] as const)(
    "that pays first shows as on its way and sells nothing again while Stripe says %s",
    async (statusWhileDebited) => {
      await control(site.sandboxOrigin, "settings", { statusWhileDebited });
      const payer = await newPayer(site.sandboxOrigin, { card: "bank_account" });
      expect(await daysLeft(payer)).toBeNull();
      expect(await problemOf(payer)).toBe("confirming");
      const { kind } = await startCheckout(payer, SANDBOX_STRIPE.priceId);
      expect(kind).toBe("portal");
      await control(site.sandboxOrigin, `sessions/${payer.sessionId}/settle`);
      expect(await daysLeft(payer)).toBeGreaterThan(29);
      expect(await problemOf(payer)).toBeNull();
    },
  );

  it("for a renewal is waited for, for 22 days instead of 15, and only while it is processing", async () => {
    const member = await newMember(site.sandboxOrigin);
    await renewAgo(member, 0, "processing");
    expect(await daysLeft(member)).toBe(22);
    expect(await problemOf(member)).toBeNull();
    await ask(member, "debit", { arrives: false });
    expect(await daysLeft(member)).toBe(15);
    expect(await problemOf(member)).toBe("past-due");
  });

  it("that is taken back after weeks ends the membership, as a lost dispute", async () => {
    const member = await newMember(site.sandboxOrigin);
    await ask(member, "dispute", { start: "lost" });
    expect(await daysLeft(member)).toBeNull();
    const { status } = await stripeClient().subscriptions.retrieve(member.subscription);
    expect(status).toBe("canceled");
  });
});

describe("a renewal that the bank wants confirmed", () => {
  async function unconfirmed() {
    const member = await newMember(site.sandboxOrigin);
    await ask(member, "card", { card: "4000002760003184" });
    await renewAgo(member, 0, "card");
    await syncCustomer(member.customer);
    return member;
  }
  const comeBack = async ({ cookie }: Payer) => {
    const answer = await get(billing, "/billing", cookie);
    return [answer.headers.get("Location"), (await flashOf(answer))?.toast?.title];
  };

  it("is not tried again by the site; page and mail lead to Stripe's page for it", async () => {
    const member = await unconfirmed();
    expect(await problemOf(member)).toBe("to-confirm");
    const [invoice] = (await stripeClient().invoices.list({ subscription: member.subscription }))
      .data;
    expect((await rowOf(member)).confirmPaymentUrl).toBe(invoice?.hosted_invoice_url);
    expect(invoice?.attempt_count).toBe(1);
    const queued = await getDatabase().db.select().from(mails);
    const mail = queued.find(
      ({ kind, recipient }) => kind === "membership-renewal-failed" && recipient === member.email,
    );
    expect(mail?.message?.subject).toBe("Please confirm your membership payment");
    expect(mail?.message?.text).toContain(invoice?.hosted_invoice_url);
    expect(await comeBack(member)).toEqual(["/billing/card", "Please confirm your payment"]);
  });

  it("is over once it is confirmed", async () => {
    const member = await unconfirmed();
    await ask(member, "recover");
    expect(await comeBack(member)).toEqual(["/premium", "✅ Your payment went through"]);
    expect((await rowOf(member)).confirmPaymentUrl).toBeNull();
  });

  it.each([
    ["4242424242424242", "✅ Your payment went through", "/premium"],
    ["4000000000000341", "Your new card was declined too", "/billing/card"],
  ])("is paid by card %s, or says what came of it: %s", async (card, title, page) => {
    const member = await unconfirmed();
    await control(site.sandboxOrigin, `customers/${member.customer}/card`, { card });
    expect(await comeBack(member)).toEqual([page, title]);
  });
});

describe("what the author gives and takes back", () => {
  it.each(["void", "keep_as_draft", "mark_uncollectible"])(
    "collection paused (%s) is free time until it goes on",
    async (behavior) => {
      const member = await newMember(site.sandboxOrigin);
      await ask(member, "pause-collection", { behavior });
      await ask(member, "renew");
      await ask(member, "age", { days: 20 });
      expect(await daysLeft(member)).toBeGreaterThan(10);
      expect(await problemOf(member)).toBeNull();
      await ask(member, "resume-collection");
      // twenty days after what was paid for
      expect(await daysLeft(member)).toBe(-5);
    },
  );

  it("free time ended early counts no longer, although its invoice is paid", async () => {
    const member = await newMember(site.sandboxOrigin);
    await ask(member, "trial", { days: 200, prorates: true });
    expect(await daysLeft(member)).toBe(202);
    await ask(member, "card", { card: "4000000000000341" });
    await control(site.sandboxOrigin, "settings", { afterRetries: "past_due" });
    await ask(member, "trial", { days: 0 });
    // the credit pays the first month
    expect(await daysLeft(member)).toBeLessThan(50);
    await renewAgo(member, 16, "declined");
    await syncCustomer(member.customer);
    expect(await hasAccess(member)).toBe(false);
  });

  it("a year whose rest was credited counts no longer after a change to a monthly price", async () => {
    const { productId: product } = SANDBOX_STRIPE;
    const recurring = { interval: "year" as const };
    const amount = { currency: "usd", unit_amount: 9_900 };
    const yearly = await stripeClient().prices.create({ product, ...amount, recurring });
    const member = await newMember(site.sandboxOrigin);
    await ask(member, "price", { priceId: yearly.id, now: true });
    expect(await daysLeft(member)).toBeGreaterThan(365);
    await ask(member, "price", { priceId: SANDBOX_STRIPE.priceId, now: true });
    expect(await daysLeft(member)).toBeLessThan(34);
    // the next month is not paid yet
    await ask(member, "renew", { outcome: "draft" });
    expect(await daysLeft(member)).toBe(15);
  });
});

it("a refund counts for a price of three years", async () => {
  const recurring = { interval: "year" as const, interval_count: 3 };
  const price = await stripeClient().prices.create({
    product: SANDBOX_STRIPE.productId,
    currency: "usd",
    unit_amount: 19_900,
    recurring,
  });
  const member = await newMember(site.sandboxOrigin);
  await ask(member, "price", { priceId: price.id, now: true });
  await ask(member, "refund");
  const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 900 * DAY * 1_000);
  const { memberships } = await fetchBilling(member.customer);
  clock.mockRestore();
  expect(memberships[0]?.coverage.revoked).toBe("refund");
});

it("a dispute lost after a later payment is reported as lost, and the membership goes on", async () => {
  const member = await newMember(site.sandboxOrigin);
  await ask(member, "dispute");
  await syncCustomer(member.customer);
  const [dispute] = (await stripeClient().disputes.list({ limit: 1 })).data;
  // its holder pays the next period by hand while collection is paused
  await control(site.sandboxOrigin, "clock", { seconds: 5 });
  await ask(member, "renew", { outcome: "draft" });
  const lines = watchLog();
  await stripeClient().subscriptions.update(member.subscription, { pause_collection: "" });
  await ask(member, "renew", { outcome: "paid" });
  await stripeClient().subscriptions.update(member.subscription, {
    pause_collection: { behavior: "void" },
  });
  await control(site.sandboxOrigin, `disputes/${dispute?.id}/close`, { won: false });
  await syncCustomer(member.customer);
  expect(lines.map(({ facts }) => facts.event).filter(Boolean)).toEqual([
    "dispute-lost-paid-since",
  ]);
  expect(await hasAccess(member)).toBe(true);
  const { status, pause_collection } = await stripeClient().subscriptions.retrieve(
    member.subscription,
  );
  expect([status, pause_collection]).toEqual(["active", null]);
});
