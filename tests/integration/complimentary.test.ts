import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { SANDBOX_STRIPE, setEnvironment } from "~/env.server";
import { startCheckout } from "~/features/billing/checkout.server";
import { confirmPurchase } from "~/features/billing/checkout-success.server";
import { grantMembership } from "~/features/billing/grant-membership.server";
import { reconcile, unlinkCustomer } from "~/features/billing/reconcile.server";
import { syncCustomer } from "~/features/billing/sync-customer.server";
import { checkMembers } from "~/features/checks/check-members.server";
import { isSubscribed } from "~/features/membership/access";
import { membershipStatus } from "~/features/membership/membership-state";
import { readStatistics } from "~/features/statistics/read-statistics.server";
import { getDatabase } from "~db/client";
import { countMembers, findMembers } from "~db/queries/members";
import { findProfile, findUsersWithEndedAccess, updateProfile } from "~db/queries/profiles";
import { mails } from "~db/schema";
import { control, newMember, newPayer, newReader } from "../support/payments";
import { testSite } from "../support/site";

const site = testSite({ payments: {} });
const DAY_MS = 24 * 60 * 60 * 1_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);

async function stateOf({ id }: { id: string }) {
  const profile = await findProfile(id);
  if (!profile) throw new Error("There is no profile.");
  return {
    hasAccess: isSubscribed(profile, new Date()),
    status: membershipStatus(profile).kind,
    until: profile.stripeCurrentPeriodEnd,
    price: profile.stripePriceId,
  };
}

const play = (path: string, fields: Record<string, unknown> = {}) =>
  control(site.sandboxOrigin, path, fields);

describe("a complimentary membership", () => {
  it("gives access until its end, and no longer", async () => {
    const reader = await newReader();
    const until = inDays(90);
    expect(await grantMembership(reader.id, until)).toBe(true);
    expect(await stateOf(reader)).toEqual({
      hasAccess: true,
      status: "complimentary",
      until,
      price: SANDBOX_STRIPE.priceId,
    });
    await grantMembership(reader.id, new Date());
    expect(await stateOf(reader)).toMatchObject({ hasAccess: false });
    const ended = await findUsersWithEndedAccess(inDays(-1), 100);
    expect(ended.map(({ id }) => id)).toContain(reader.id);
  });

  it("works where nothing is sold", async () => {
    setEnvironment({ SESSION_SECRET: "a secret that signs the cookies of tests only" });
    const reader = await newReader();
    await grantMembership(reader.id, inDays(1));
    expect(await stateOf(reader)).toMatchObject({ hasAccess: true, price: "complimentary" });
  });

  it("is never shortened by a sync, however the subscription ends", async () => {
    const member = await newMember(site.sandboxOrigin);
    const until = inDays(90);
    await grantMembership(member.id, until);
    expect(await stateOf(member)).toMatchObject({ until, status: "renews" });
    await play(`subscriptions/${member.subscription}/cancel`);
    await syncCustomer(member.customer);
    expect(await stateOf(member)).toMatchObject({ until, status: "complimentary" });
    await updateProfile(member.id, { syncDueAt: new Date() });
    await reconcile();
    await unlinkCustomer(member.id);
    expect(await stateOf(member)).toMatchObject({ hasAccess: true, until });
  });

  it("never ends what is paid for, not even while Stripe does not answer", async () => {
    const member = await newMember(site.sandboxOrigin);
    const { until: paidUntil } = await stateOf(member);
    await grantMembership(member.id, inDays(90));
    await play("faults", { kind: "error", match: "GET /v1/subscriptions", status: 500, times: 10 });
    expect(await grantMembership(member.id, new Date())).toBe(false);
    expect(await stateOf(member)).toMatchObject({ hasAccess: true });
    await play("faults/clear");
    await reconcile(inDays(0));
    expect(await stateOf(member)).toMatchObject({ hasAccess: true, until: paidUntil });
  });

  it("that ends before the paid period changes nothing", async () => {
    const member = await newMember(site.sandboxOrigin);
    const before = await stateOf(member);
    await grantMembership(member.id, inDays(3));
    expect(await stateOf(member)).toEqual(before);
  });

  it("does not keep its holder from buying, and is no proof of a payment", async () => {
    const reader = await newReader();
    await grantMembership(reader.id, inDays(5));
    const outcome = await startCheckout(reader, SANDBOX_STRIPE.priceId);
    if (outcome.kind !== "checkout") throw new Error(outcome.kind);
    const confirm = () => confirmPurchase(reader.id, outcome.sessionId, async () => true);
    expect(await confirm()).toBeNull();
    await play(`sessions/${outcome.sessionId}/pay`);
    await updateProfile(reader.id, { syncedAt: null });
    expect(await confirm()).toBe("member");
    expect(await stateOf(reader)).toMatchObject({ status: "renews" });
  });

  it("does not keep a buyer whose payment takes days from being welcomed", async () => {
    const reader = await newReader();
    await grantMembership(reader.id, inDays(90));
    const outcome = await startCheckout(reader, SANDBOX_STRIPE.priceId);
    if (outcome.kind !== "checkout") throw new Error(outcome.kind);
    const { stripeCustomerId: customer } = { ...(await findProfile(reader.id)) };
    await play(`sessions/${outcome.sessionId}/pay`, { card: "bank_account" });
    await syncCustomer(customer ?? "");
    expect(await stateOf(reader)).toMatchObject({ status: "complimentary" });
    const kinds = () =>
      getDatabase()
        .db.select({ kind: mails.kind })
        .from(mails)
        .where(eq(mails.recipient, reader.email));
    expect(await kinds()).toEqual([]);
    await play(`sessions/${outcome.sessionId}/settle`);
    await syncCustomer(customer ?? "");
    expect(await kinds()).toEqual([{ kind: "membership-begun" }]);
  });

  it("is told apart in counts and lists, and agrees with Stripe", async () => {
    const payer = await newPayer(site.sandboxOrigin);
    await syncCustomer(payer.customer);
    await play(`subscriptions/${payer.subscription}/cancel`);
    await grantMembership(payer.id, inDays(90));
    const now = new Date();
    const before = await countMembers({ since: now, now });
    const reader = await newReader();
    await grantMembership(reader.id, inDays(1));
    const after = await countMembers({ since: now, now });
    expect(after.premium - before.premium).toBe(1);
    expect(after.complimentary - before.complimentary).toBe(1);
    expect((await readStatistics(1)).complimentary).toBe(after.complimentary);
    const [listed] = await findMembers({ match: reader.email, premium: true, limit: 1, now });
    expect(listed).toMatchObject({ isComplimentary: true });
    const [found] = await checkMembers({});
    expect(found?.found).toMatch(/rows agree with Stripe/);
  });
});
