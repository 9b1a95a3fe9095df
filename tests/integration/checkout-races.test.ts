import type Stripe from "stripe";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { startCheckout } from "~/features/billing/checkout.server";
import { UnknownCustomer } from "~/features/billing/customer-billing.server";
import { unlinkCustomer } from "~/features/billing/reconcile.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { syncCustomer } from "~/features/billing/sync-customer.server";
import { getDatabase } from "~db/client";
import { ensureProfile, findProfile, replaceCustomer } from "~db/queries/profiles";
import { insertUser } from "~db/queries/users";
import { users } from "~db/schema";
import { control, newMember, newReader, type Reader } from "../support/payments";
import { testSite } from "../support/site";

const { priceId } = SANDBOX_STRIPE;

const site = testSite({ payments: {} });
beforeEach(() => control(site.sandboxOrigin, "requests/clear"));

const play = (path: string, fields: Record<string, unknown> = {}) =>
  control(site.sandboxOrigin, path, fields);
const upgrade = (reader: Pick<Reader, "id" | "email">) => startCheckout(reader, priceId);
const customerOf = async ({ id }: { id: string }) =>
  (await findProfile(id))?.stripeCustomerId ?? "";

async function customersOf({ id }: { id: string }): Promise<string[]> {
  const found: string[] = [];
  for await (const { id: customer, metadata } of stripeClient().customers.list({ limit: 100 })) {
    if (metadata.userId === id) found.push(customer);
  }
  return found;
}

async function openSessionsOf(reader: Reader): Promise<Stripe.Checkout.Session[]> {
  const { data } = await stripeClient().checkout.sessions.list({
    customer: await customerOf(reader),
    status: "open",
  });
  return data;
}

async function sessionId(outcome: Awaited<ReturnType<typeof startCheckout>>): Promise<string> {
  if (outcome.kind !== "checkout") throw new Error(outcome.kind);
  return outcome.sessionId;
}

/** Makes an account older than the lifetime of Stripe's idempotency keys. */
async function makeOld(): Promise<void> {
  await getDatabase()
    .db.update(users)
    .set({ createdAt: new Date(Date.now() - 30 * 24 * 60 * 60_000) });
}

describe("a 500 from Stripe, stored and replayed for a day", () => {
  it.each([
    ["customer", "POST /v1/customers", "before"],
    ["customer that was made all the same", "POST /v1/customers", "after"],
    ["session", "POST /v1/checkout/sessions", "before"],
    ["session that was made all the same", "POST /v1/checkout/sessions", "after"],
  ])(
    "for the %s does not stop the buyer, and creates nothing twice",
    async (_what, match, when) => {
      const reader = await newReader();
      await play("faults", { kind: "error", status: 500, match, when });
      const first = await sessionId(await upgrade(reader));
      expect(await sessionId(await upgrade(reader))).toBe(first);
      expect(await customersOf(reader)).toEqual([await customerOf(reader)]);
      expect((await openSessionsOf(reader)).map(({ id }) => id)).toEqual([first]);
    },
  );

  it("is skipped once by all concurrent clicks", async () => {
    const reader = await newReader();
    await play("faults", { kind: "error", status: 500, match: "POST /v1/customers" });
    const outcomes = await Promise.all([upgrade(reader), upgrade(reader), upgrade(reader)]);
    expect(new Set(await Promise.all(outcomes.map(sessionId))).size).toBe(1);
    expect((await findProfile(reader.id))?.checkoutFailures).toBe(1);
    expect(await customersOf(reader)).toHaveLength(1);
  });
});

describe("a response that is cut off", () => {
  it.each(["POST /v1/customers", "POST /v1/checkout/sessions"])(
    "after %s took effect creates nothing twice",
    async (match) => {
      const reader = await newReader();
      await play("faults", { kind: "destroy", match, when: "after", times: 2 });
      await upgrade(reader).catch(() => undefined);
      expect((await upgrade(reader)).kind).toBe("checkout");
      expect(await customersOf(reader)).toHaveLength(1);
      expect(await openSessionsOf(reader)).toHaveLength(1);
    },
  );
});

describe("an address that Stripe rejects", () => {
  it("does not block the purchase: the checkout asks for another", async () => {
    const email = `reader-${Date.now()}@intranet`;
    const user = await insertUser({ email, passwordHash: "not a hash" });
    const buyer = { id: user?.id ?? "", email };
    const session = await sessionId(await upgrade(buyer));
    const customer = await stripeClient().customers.retrieve(await customerOf(buyer));
    expect(customer).toMatchObject({ email: null, metadata: { userId: buyer.id } });
    await play(`sessions/${session}/pay`, { email: "reader@example.com" });
    await syncCustomer(await customerOf(buyer));
    expect((await findProfile(buyer.id))?.stripePriceId).toBe(priceId);
  });
});

describe("an already open session", () => {
  it("is reused while there is time to pay, and otherwise replaced", async () => {
    const reader = await newReader();
    const first = await sessionId(await upgrade(reader));
    const [session] = await openSessionsOf(reader);
    const expiry = (session?.expires_at ?? 0) * 1_000;
    vi.spyOn(Date, "now").mockReturnValue(expiry - 11 * 60_000);
    expect(await sessionId(await upgrade(reader))).toBe(first);
    vi.spyOn(Date, "now").mockReturnValue(expiry - 9 * 60_000);
    // only the site's clock is faked; the local Stripe in this process would see the session as expired
    const list = vi.spyOn(stripeClient().checkout.sessions, "list");
    const again = await sessionId(await upgrade(reader));
    expect(again).not.toBe(first);
    expect(list).toHaveBeenCalled();
    vi.restoreAllMocks();
    expect((await stripeClient().checkout.sessions.retrieve(first)).status).toBe("expired");
  });
});

describe("a payment in between", () => {
  it("after the lists of sessions and memberships creates no second membership", async () => {
    const reader = await newReader();
    const first = await sessionId(await upgrade(reader));
    const { sessions } = stripeClient().checkout;
    const list = sessions.list.bind(sessions);
    // paid while the response with the sessions is in flight
    vi.spyOn(sessions, "list").mockImplementationOnce((...parameters) => {
      const page = list(...(parameters as Parameters<typeof list>));
      const paid = page.then(async (found) => {
        await play(`sessions/${first}/pay`);
        return found;
      });
      return Object.assign(paid, page) as never;
    });
    expect(await upgrade(reader)).toMatchObject({ kind: "portal" });
    expect(await openSessionsOf(reader)).toEqual([]);
  });

  it("between a click and the expiry of an outdated session is noticed", async () => {
    const reader = await newReader();
    const first = await sessionId(await upgrade(reader));
    await stripeClient().checkout.sessions.update(first, { metadata: { priceId: "price_former" } });
    const { sessions } = stripeClient().checkout;
    const expire = sessions.expire.bind(sessions);
    vi.spyOn(sessions, "expire").mockImplementationOnce(async (id) => {
      await play(`sessions/${first}/pay`);
      return expire(id as string) as never;
    });
    expect(await upgrade(reader)).toMatchObject({ kind: "portal" });
  });
});

describe("two processes at once", () => {
  /** The checkout of another process on the same database. */
  async function otherProcess() {
    vi.resetModules();
    const other = await import("~/features/billing/checkout.server");
    const environment = await import("~/env.server");
    const database = await import("~db/client");
    environment.setEnvironment({
      PAYMENTS: "sandbox",
      STRIPE_SANDBOX_PORT: new URL(site.sandboxOrigin).port,
      SESSION_SECRET: "a secret that signs the cookies of tests only",
      LOG_LEVEL: "silent",
    });
    database.setDatabase(getDatabase());
    return other;
  }

  async function upgradeInBoth(reader: Reader) {
    const other = await otherProcess();
    const outcomes = await Promise.all([upgrade(reader), other.startCheckout(reader, priceId)]);
    expect(new Set(await Promise.all(outcomes.map(sessionId))).size).toBe(1);
    expect(await customersOf(reader)).toHaveLength(1);
    expect(await openSessionsOf(reader)).toHaveLength(1);
  }

  it("create one customer and one session", async () => {
    await upgradeInBoth(await newReader());
  });

  it.each(["POST /v1/customers", "POST /v1/checkout/sessions"])(
    "do so when one finds the other's %s in flight for seconds",
    async (match) => {
      const reader = await newReader();
      await play("faults", { kind: "slow", match, when: "after", ms: 1_500 });
      await upgradeInBoth(reader);
      expect((await findProfile(reader.id))?.checkoutFailures).toBe(0);
    },
  );
});

describe("a row that has lost its customer", () => {
  it("is linked again before anything is sold twice", async () => {
    const member = await newMember(site.sandboxOrigin);
    await unlinkCustomer(member.id);
    await makeOld();
    expect(await upgrade(member)).toMatchObject({ kind: "portal" });
    expect(await customerOf(member)).toBe(member.customer);
    expect(await customersOf(member)).toEqual([member.customer]);
  });

  it("is linked by the user's id, never by an email address", async () => {
    const reader = await newReader();
    const { id: stranger } = await stripeClient().customers.create({
      email: reader.email,
      metadata: { userId: "another" },
    });
    await play(`customers/${stranger}/subscribe`, { priceId });
    await makeOld();
    expect(await upgrade(reader)).toMatchObject({ kind: "checkout" });
    expect(await customerOf(reader)).not.toBe(stranger);
  });
});

describe("a customer's link to a row", () => {
  it("is not replaced if it has changed meanwhile, nor taken from another row", async () => {
    const [mine, theirs] = [await newMember(site.sandboxOrigin), await newReader()];
    await ensureProfile(theirs.id);
    expect(await replaceCustomer(mine.id, null, "cus_late")).toBe(false);
    expect(await replaceCustomer(mine.id, "cus_former", "cus_late")).toBe(false);
    expect(await replaceCustomer(theirs.id, null, mine.customer)).toBe(false);
    expect(await customerOf(mine)).toBe(mine.customer);
    expect(await customerOf(theirs)).toBe("");
  });
});

describe("a former member who buys again", () => {
  it("is polled by the timer from the click on, like a first purchase", async () => {
    const member = await newMember(site.sandboxOrigin);
    await play(`subscriptions/${member.subscription}/cancel`);
    await syncCustomer(member.customer);
    expect((await findProfile(member.id))?.syncDueAt).toBeNull();
    await upgrade(member);
    const { syncDueAt } = (await findProfile(member.id)) ?? {};
    expect(syncDueAt?.getTime()).toBeLessThanOrEqual(Date.now());
  });
});

describe("a customer whom Stripe does not know", () => {
  it("is left to the operator, and not replaced", async () => {
    const member = await newMember(site.sandboxOrigin);
    await play(`customers/${member.customer}/forget`);
    await expect(upgrade(member)).rejects.toThrow(UnknownCustomer);
    expect(await customerOf(member)).toBe(member.customer);
  });
});
