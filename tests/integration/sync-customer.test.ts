import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { stripeClient } from "~/features/billing/stripe-client.server";
import {
  type BillingSnapshot,
  syncCustomer,
  takeSnapshot,
  writeSnapshot,
} from "~/features/billing/sync-customer.server";
import { membershipProblem } from "~/features/membership/membership-state";
import { getDatabase } from "~db/client";
import { beginAccountDeletion } from "~db/queries/account-deletions";
import { findProfile, updateProfile } from "~db/queries/profiles";
import { mails, memberships, operatorAlerts, operatorSignals } from "~db/schema";
import { type LogLine, watchLog } from "../support/log";
import { metricValue } from "../support/metrics";
import { control, newMember, newPayer, type Payer, requestCounts } from "../support/payments";
import { testSite } from "../support/site";

const site = testSite({ payments: {} });
let lines: LogLine[];
beforeEach(() => {
  lines = watchLog();
});

const play = <Answer = Record<string, unknown>>(path: string, fields: object = {}) =>
  control<Answer>(site.sandboxOrigin, path, fields as Record<string, unknown>);
const fault = (fields: object) => play("faults", { kind: "error", status: 400, ...fields });
const row = async ({ id }: { id: string }) => {
  const profile = await findProfile(id);
  if (!profile) throw new Error("The account has no profile.");
  return profile;
};
const minutesUntil = (at: Date | null) => ((at?.getTime() ?? 0) - Date.now()) / 60_000;
const linesOf = (level: string) => lines.filter((line) => line.level === level);

async function snapshotOf({ customer }: { customer: string }): Promise<BillingSnapshot> {
  const snapshot = await takeSnapshot(customer);
  if (!snapshot) throw new Error("Nobody has the customer.");
  return snapshot;
}

const write = (snapshot: BillingSnapshot) =>
  getDatabase().db.transaction((tx) => writeSnapshot(snapshot, tx));

const syncs = (outcome: string) => metricValue("billing_syncs_total", { outcome });

/** Counts the syncs of an outcome during a function. */
async function counted(outcome: string, work: () => Promise<unknown>): Promise<number> {
  const before = await syncs(outcome);
  await work();
  return (await syncs(outcome)) - before;
}

describe("a sync", () => {
  it("is counted and logged with its changes", async () => {
    const payer = await newPayer(site.sandboxOrigin);
    lines = watchLog();
    expect(await counted("synced", () => syncCustomer(payer.customer))).toBe(1);
    const { stripeCurrentPeriodEnd } = await row(payer);
    expect(linesOf("info")).toContainEqual({
      level: "info",
      message: "billing state synced",
      facts: {
        userId: payer.id,
        stripeCustomerId: payer.customer,
        subscription: payer.subscription,
        status: "active",
        accessUntil: stripeCurrentPeriodEnd,
        revoked: undefined,
      },
    });
    expect(linesOf("error")).toEqual([]);
  });
});

describe("a customer with two memberships that renew", () => {
  const alert = async ({ id }: Payer) => {
    const { db } = getDatabase();
    const key = `two-memberships:${id}`;
    const [found] = await db.select().from(operatorAlerts).where(eq(operatorAlerts.key, key));
    return found;
  };
  const mailed = async (subscription: string) =>
    (await getDatabase().db.select().from(mails)).filter(
      ({ idempotencyKey }) => idempotencyKey === `twice:${subscription}`,
    ).length;

  it("is an alert, and its member is told on the pages and by one mail, until one ends", async () => {
    const member = await newMember(site.sandboxOrigin);
    const second = await play<{ id: string }>(`customers/${member.customer}/subscribe`);
    await syncCustomer(member.customer);
    await syncCustomer(member.customer);
    const ids = [member.subscription, second.id];
    const { secondSubscriptionId: other, stripeSubscriptionId: counted } = await row(member);
    expect([counted, other].toSorted()).toEqual(ids.toSorted());
    expect(membershipProblem(await row(member))).toBe("paid-twice");
    expect(await alert(member)).toMatchObject({ facts: { first: counted, second: other } });
    expect(await mailed(other ?? "")).toBe(1);

    await stripeClient().subscriptions.update(other ?? "", { cancel_at_period_end: true });
    await syncCustomer(member.customer);
    expect(membershipProblem(await row(member))).toBeNull();
    expect(await alert(member)).toMatchObject({ facts: { isOver: 1 } });
  });
});

describe("a customer that somebody deleted at Stripe", () => {
  const notices = () => lines.filter(({ facts }) => facts.event === "customer-deleted");

  it("ends access and is said once, with what to do", async () => {
    const member = await newMember(site.sandboxOrigin);
    await stripeClient().customers.del(member.customer);
    await syncCustomer(member.customer);
    await syncCustomer(member.customer);
    expect(await row(member)).toMatchObject({ stripePriceId: null });
    expect(notices()).toMatchObject([
      { level: "warn", message: expect.stringContaining("refund the rest of the paid period") },
    ]);
  });

  it("is not said while the site itself deletes the account", async () => {
    const member = await newMember(site.sandboxOrigin);
    await beginAccountDeletion(member.id);
    await stripeClient().customers.del(member.customer);
    await syncCustomer(member.customer);
    expect(notices()).toEqual([]);
  });
});

describe("an open checkout", () => {
  it("is closed once there is a membership, and not before", async () => {
    const payer = await newPayer(site.sandboxOrigin);
    const opened = (await row(payer)).checkoutOpenedAt;
    expect(opened).toBeInstanceOf(Date);
    const none = { ...(await snapshotOf(payer)), memberships: [] };
    await write(none);
    expect((await row(payer)).checkoutOpenedAt).toEqual(opened);
    await syncCustomer(payer.customer);
    expect((await row(payer)).checkoutOpenedAt).toBeNull();
  });
});

describe("paid memberships", () => {
  const recorded = ({ id }: { id: string }) =>
    getDatabase()
      .db.select({ endedAt: memberships.endedAt })
      .from(memberships)
      .where(eq(memberships.userId, id));

  it("are recorded, and end when Stripe no longer has them", async () => {
    const member = await newMember(site.sandboxOrigin);
    expect(await recorded(member)).toEqual([{ endedAt: null }]);
    const at = new Date();
    await write({ ...(await snapshotOf(member)), memberships: [], at });
    expect(await recorded(member)).toEqual([{ endedAt: at }]);
  });
});

describe("a payment that a sync is the first to notice", () => {
  const noticed = async (): Promise<number> => {
    const [signal] = await getDatabase()
      .db.select({ count: operatorSignals.count })
      .from(operatorSignals)
      .where(eq(operatorSignals.name, "payment-without-webhook"));
    return signal?.count ?? 0;
  };

  it("is recorded for the operator, once", async () => {
    const payer = await newPayer(site.sandboxOrigin);
    const before = await noticed();
    await syncCustomer(payer.customer);
    expect(await noticed()).toBe(before + 1);
    await syncCustomer(payer.customer);
    expect(await noticed()).toBe(before + 1);
  });
});

describe("a new address that is due at Stripe", () => {
  const memberWithNewAddress = async () => {
    const member = await newMember(site.sandboxOrigin);
    await updateProfile(member.id, { isEmailDueAtStripe: true });
    lines = watchLog();
    return member;
  };
  const failUpdate = ({ customer }: Payer) => fault({ match: `POST /v1/customers/${customer}` });

  it("is retried soon if it fails, and the state is written all the same", async () => {
    const member = await memberWithNewAddress();
    await failUpdate(member);
    await syncCustomer(member.customer);
    expect(linesOf("error")).toEqual([
      {
        level: "error",
        message: "Stripe could not be told a new address",
        facts: { userId: member.id, err: expect.any(Error) },
      },
    ]);
    const { syncDueAt, isEmailDueAtStripe } = await row(member);
    expect(minutesUntil(syncDueAt)).toBeLessThan(6);
    expect(isEmailDueAtStripe).toBe(true);
    await syncCustomer(member.customer);
    expect(minutesUntil((await row(member)).syncDueAt)).toBeGreaterThan(24 * 60);
    expect((await row(member)).isEmailDueAtStripe).toBe(false);
  });
});

describe("a change at Stripe by a sync", () => {
  const disputed = async () => {
    const member = await newMember(site.sandboxOrigin);
    const dispute = await play<{ id: string }>(`subscriptions/${member.subscription}/dispute`);
    lines = watchLog();
    return { ...member, dispute: dispute.id };
  };

  it("happens at once, and the row is due as usual", async () => {
    const member = await disputed();
    await syncCustomer(member.customer);
    expect(linesOf("error")).toEqual([]);
    expect(minutesUntil((await row(member)).syncDueAt)).toBeGreaterThan(50);
    const open = await getDatabase()
      .db.select({ facts: operatorAlerts.facts })
      .from(operatorAlerts)
      .where(eq(operatorAlerts.key, `dispute:${member.dispute}`));
    expect(open).toEqual([{ facts: expect.objectContaining({ dispute: member.dispute }) }]);
  });

  it("is retried soon if Stripe rejects it, and earlier changes are read again", async () => {
    const member = await disputed();
    await fault({ match: "POST /v1/subscriptions/" });
    await play("requests/clear");
    await syncCustomer(member.customer);
    expect((await requestCounts(site.sandboxOrigin))["GET /v1/subscriptions"]).toBe(2);
    expect(linesOf("error").map(({ message }) => message)).toEqual([
      "a membership could not be changed at Stripe; it is retried",
    ]);
    expect(minutesUntil((await row(member)).syncDueAt)).toBeLessThan(6);
  });

  it("is undone although Stripe no longer lists its dispute", async () => {
    const member = await newMember(site.sandboxOrigin);
    await stripeClient().subscriptions.update(member.subscription, {
      pause_collection: { behavior: "void" },
      metadata: { paused_for_dispute: "dp_longAgo" },
    });
    lines = watchLog();
    await syncCustomer(member.customer);
    expect(linesOf("error")).toEqual([]);
    const { pause_collection } = await stripeClient().subscriptions.retrieve(member.subscription);
    expect(pause_collection).toBeNull();
  });
});
