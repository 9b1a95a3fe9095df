import { eq } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { SANDBOX_STRIPE, setEnvironment } from "~/env.server";
import { startCheckout } from "~/features/billing/checkout.server";
import { reconcileAll, unlinkCustomer } from "~/features/billing/reconcile.server";
import { reconcileFromStripe } from "~/features/billing/reconcile-from-stripe.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { siteMark } from "~/features/billing/stripe-site.server";
import { isSubscribed } from "~/features/membership/access";
import { getDatabase } from "~db/client";
import { findProfile, updateProfile } from "~db/queries/profiles";
import { confirmEmail } from "~db/queries/users";
import { profiles } from "~db/schema";
import { openAlteredStripe } from "../support/altered-stripe";
import { deleteUser } from "../support/delete-user";
import { watchLog } from "../support/log";
import {
  control,
  newMember,
  newReader,
  type Payer,
  type Reader,
  stripeSettings,
} from "../support/payments";
import { testSite } from "../support/site";

const site = testSite({ payments: {} });
afterEach(async () => {
  await control(site.sandboxOrigin, "reset");
});

const hasAccess = async ({ id }: Reader) => isSubscribed(await findProfile(id), new Date());
const customerOf = async ({ id }: Reader) => (await findProfile(id))?.stripeCustomerId;
const fault = (fields: Record<string, unknown>) => control(site.sandboxOrigin, "faults", fields);

/** A member whose row links another customer instead of the membership's. */
async function memberWithOtherCustomer(customer?: string): Promise<Payer & { other: string }> {
  const member = await newMember(site.sandboxOrigin);
  const other = customer ?? (await stripeClient().customers.create({})).id;
  await unlinkCustomer(member.id);
  await updateProfile(member.id, { stripeCustomerId: other });
  return { ...member, other };
}

/** Lets a test alter Stripe's responses until its end. */
async function alterStripe(alter: Parameters<typeof openAlteredStripe>[1]): Promise<void> {
  const origin = await openAlteredStripe(site.sandboxOrigin, alter);
  setEnvironment({
    LOG_LEVEL: "silent",
    ...stripeSettings(origin, SANDBOX_STRIPE.priceId),
  });
}

describe("a database restored from before a payment", () => {
  it("gets its memberships back from Stripe", async () => {
    const [lost, kept] = await Promise.all([
      newMember(site.sandboxOrigin),
      newMember(site.sandboxOrigin),
    ]);
    await unlinkCustomer(lost.id);
    expect(await hasAccess(lost)).toBe(false);
    // the rows do not show that they are outdated
    await reconcileAll();
    expect(await hasAccess(lost)).toBe(false);

    const { synced, failed, adopted, unresolved } = await reconcileFromStripe();
    expect({ synced, failed, unresolved }).toEqual({ synced: 2, failed: 0, unresolved: [] });
    expect(adopted.map(({ subscriptionId }) => subscriptionId)).toEqual([lost.subscription]);
    expect([await hasAccess(lost), await hasAccess(kept)]).toEqual([true, true]);
    expect((await reconcileFromStripe()).adopted).toEqual([]);
  });

  it("restores the others if Stripe fails for one of them", async () => {
    const members = await Promise.all([1, 2, 3].map(() => newMember(site.sandboxOrigin)));
    for (const { id, subscription } of members) {
      await stripeClient().subscriptions.update(subscription, { metadata: { userId: "" } });
      await unlinkCustomer(id);
    }
    await control(site.sandboxOrigin, "faults", {
      kind: "error",
      status: 400,
      match: `GET /v1/customers/${members[1]?.customer}`,
    });
    expect(await reconcileFromStripe()).toMatchObject({ synced: 2, failed: 1 });
    expect((await reconcileFromStripe()).adopted).toMatchObject([
      { stripeCustomerId: members[1]?.customer },
    ]);
  });

  it("replaces a row's customer without purchases by the paid one", async () => {
    const lost = await memberWithOtherCustomer();
    const lines = watchLog();
    await reconcileFromStripe();
    expect(await customerOf(lost)).toBe(lost.customer);
    expect(await hasAccess(lost)).toBe(true);
    expect(lines).toContainEqual({
      level: "warn",
      message: "a membership was linked to its account again",
      facts: {
        userId: lost.id,
        stripeCustomerId: lost.customer,
        replaces: lost.other,
      },
    });
  });

  it("replaces a row's customer that Stripe does not know", async () => {
    const lost = await memberWithOtherCustomer("cus_ofAnotherAccount");
    expect(await reconcileFromStripe()).toMatchObject({ synced: 1, failed: 0, unresolved: [] });
    expect(await customerOf(lost)).toBe(lost.customer);
  });

  it("restores a missing row", async () => {
    const lost = await newMember(site.sandboxOrigin);
    await getDatabase().db.delete(profiles).where(eq(profiles.id, lost.id));
    const lines = watchLog();
    await reconcileFromStripe();
    expect(await hasAccess(lost)).toBe(true);
    const facts = { userId: lost.id, replaces: undefined };
    expect(lines).toContainEqual(
      expect.objectContaining({ facts: expect.objectContaining(facts) }),
    );
  });

  it("keeps a row's customer if Stripe can't tell whether it pays for another membership", async () => {
    const lost = await memberWithOtherCustomer();
    await alterStripe((_answer, call) =>
      call === "GET /v1/subscriptions?limit=100"
        ? fault({ kind: "error", status: 400, match: "GET /v1/subscriptions" })
        : undefined,
    );
    expect(await reconcileFromStripe()).toMatchObject({ synced: 0, failed: 1, adopted: [] });
    expect(await customerOf(lost)).toBe(lost.other);
  });
});

describe("a checkout that is open when a membership is restored", () => {
  it("is expired, so that it cannot be paid for a second one", async () => {
    const { lost, sessionId } = await lostWithCheckout();
    await reconcileFromStripe();
    expect(await customerOf(lost)).toBe(lost.customer);
    expect(await statusOf(sessionId)).toBe("expired");
  });

  it("leaves the membership to the operator if it was paid just now", async () => {
    const { lost, sessionId } = await lostWithCheckout();
    await alterStripe(async (_answer, call) => {
      if (!call.startsWith("GET /v1/checkout/sessions?")) return;
      await control(site.sandboxOrigin, `sessions/${sessionId}/pay`);
    });
    expect(await reconcileFromStripe()).toMatchObject({
      failed: 0,
      adopted: [],
      unresolved: [{ stripeCustomerId: lost.customer, owner: { kind: "lost" } }],
    });
    expect(await customerOf(lost)).toBe(lost.other);
  });

  /** A lost member with an open checkout of the customer in the row. */
  async function lostWithCheckout() {
    const lost = await memberWithOtherCustomer();
    const outcome = await startCheckout(lost, SANDBOX_STRIPE.priceId);
    if (outcome.kind !== "checkout") throw new Error(outcome.kind);
    return { lost, sessionId: outcome.sessionId };
  }

  async function statusOf(sessionId: string) {
    return (await stripeClient().checkout.sessions.retrieve(sessionId)).status;
  }
});

describe("a membership without an account", () => {
  it("is listed if its user has been deleted", async () => {
    const gone = await newMember(site.sandboxOrigin);
    await deleteUser(gone.id);
    const { unresolved, synced } = await reconcileFromStripe();
    expect(synced).toBe(0);
    expect(unresolved).toMatchObject([
      { subscriptionId: gone.subscription, owner: { kind: "ownerless", userId: gone.id } },
    ]);
  });

  it("is listed if its user also pays for another one", async () => {
    const twice = await newMember(site.sandboxOrigin);
    const metadata = { userId: twice.id, ...(await siteMark()) };
    const { id: other } = await stripeClient().customers.create({ metadata });
    await control(site.sandboxOrigin, `customers/${other}/subscribe`);
    const { unresolved } = await reconcileFromStripe();
    expect(unresolved).toMatchObject([
      {
        stripeCustomerId: other,
        owner: { kind: "surplus", userId: twice.id, linkedCustomer: twice.customer },
      },
    ]);
    expect(await hasAccess(twice)).toBe(true);
  });

  it("is ignored if it is for another product of the author's", async () => {
    const product = await stripeClient().products.create({ name: "Coaching" });
    const price = await stripeClient().prices.create({
      product: product.id,
      currency: "usd",
      unit_amount: 20_000,
      recurring: { interval: "month" },
    });
    const { id } = await stripeClient().customers.create({});
    await control(site.sandboxOrigin, `customers/${id}/subscribe`, { priceId: price.id });
    expect(await reconcileFromStripe()).toMatchObject({ synced: 0, unresolved: [] });
  });

  it("is never linked by email address alone if this site did not sell it", async () => {
    const reader = await newReader();
    await confirmEmail({ userId: reader.id, email: reader.email }, new Date());
    const { id } = await stripeClient().customers.create({ email: reader.email });
    await control(site.sandboxOrigin, `customers/${id}/subscribe`);
    expect((await reconcileFromStripe()).unresolved).toMatchObject([
      { stripeCustomerId: id, owner: { kind: "not-sold" } },
    ]);
    expect(await hasAccess(reader)).toBe(false);
  });
});
