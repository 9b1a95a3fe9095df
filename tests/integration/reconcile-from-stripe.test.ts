import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { startCheckout } from "~/features/billing/checkout.server";
import { reconcileAll } from "~/features/billing/reconcile.server";
import { reconcileFromStripe } from "~/features/billing/reconcile-from-stripe.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { unlinkCustomer } from "~/features/billing/unlink-customer.server";
import { isSubscribed } from "~/features/membership/access";
import { findProfile, updateProfile } from "~db/queries/profiles";
import { deleteUser } from "../support/delete-user";
import { control, newMember, newReader, type Reader } from "../support/payments";
import { openTestSite, type TestSite } from "../support/site";

let site: TestSite;
beforeAll(async () => {
  site = await openTestSite({ payments: {} });
});
afterAll(() => site.close());
afterEach(() => control(site.sandboxOrigin, "reset"));

const hasAccess = async ({ id }: Reader) => isSubscribed(await findProfile(id), new Date());

describe("a database restored from before a payment", () => {
  it("gets its memberships back from Stripe", async () => {
    const [lost, kept] = await Promise.all([
      newMember(site.sandboxOrigin),
      newMember(site.sandboxOrigin),
    ]);
    await unlinkCustomer(lost.id);
    expect(await hasAccess(lost)).toBe(false);
    // the rows do not show what they have lost
    await reconcileAll();
    expect(await hasAccess(lost)).toBe(false);

    const { synced, failed, adopted, unresolved } = await reconcileFromStripe();
    expect({ synced, failed, unresolved }).toEqual({ synced: 2, failed: 0, unresolved: [] });
    expect(adopted.map(({ subscriptionId }) => subscriptionId)).toEqual([lost.subscription]);
    expect([await hasAccess(lost), await hasAccess(kept)]).toEqual([true, true]);
    expect((await reconcileFromStripe()).adopted).toEqual([]);
  });

  it("finds them by the customer if the subscription names no user", async () => {
    const lost = await newMember(site.sandboxOrigin);
    await stripeClient().subscriptions.update(lost.subscription, { metadata: { userId: "" } });
    await unlinkCustomer(lost.id);
    await reconcileFromStripe();
    expect(await hasAccess(lost)).toBe(true);
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
    const lost = await newMember(site.sandboxOrigin);
    const { id: unpaid } = await stripeClient().customers.create({});
    await unlinkCustomer(lost.id);
    await updateProfile(lost.id, { stripeCustomerId: unpaid });
    await reconcileFromStripe();
    expect((await findProfile(lost.id))?.stripeCustomerId).toBe(lost.customer);
    expect(await hasAccess(lost)).toBe(true);
  });
});

describe("a checkout that is open when a membership is restored", () => {
  it("is expired, so that it cannot be paid for a second one", async () => {
    const lost = await newMember(site.sandboxOrigin);
    const { id: unpaid } = await stripeClient().customers.create({});
    await unlinkCustomer(lost.id);
    await updateProfile(lost.id, { stripeCustomerId: unpaid });
    const outcome = await startCheckout(lost, SANDBOX_STRIPE.priceId);
    if (outcome.kind !== "checkout") throw new Error(outcome.kind);
    await reconcileFromStripe();
    expect((await findProfile(lost.id))?.stripeCustomerId).toBe(lost.customer);
    const { status } = await stripeClient().checkout.sessions.retrieve(outcome.sessionId);
    expect(status).toBe("expired");
  });
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
    const { id: other } = await stripeClient().customers.create({ metadata: { userId: twice.id } });
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

  it("is listed if its metadata has no valid user id", async () => {
    const { id } = await stripeClient().customers.create({ metadata: { userId: "robert" } });
    await control(site.sandboxOrigin, `customers/${id}/subscribe`);
    expect((await reconcileFromStripe()).unresolved).toMatchObject([
      { stripeCustomerId: id, owner: { kind: "ownerless", userId: "robert" } },
    ]);
  });

  it("is never linked by e-mail address alone", async () => {
    const reader = await newReader();
    const { id } = await stripeClient().customers.create({ email: reader.email });
    await control(site.sandboxOrigin, `customers/${id}/subscribe`);
    expect((await reconcileFromStripe()).unresolved).toMatchObject([
      { stripeCustomerId: id, owner: { kind: "ownerless", userId: null } },
    ]);
    expect(await hasAccess(reader)).toBe(false);
  });
});
