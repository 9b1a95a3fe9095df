import type Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { startCheckout } from "~/features/billing/checkout.server";
import { deleteCustomer } from "~/features/billing/delete-customer.server";
import { reconcile, reconcileAll } from "~/features/billing/reconcile.server";
import {
  giveMembership,
  reconcileFromStripe,
} from "~/features/billing/reconcile-from-stripe.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { adoptSite, SITE_KEY, siteMark, startNewSite } from "~/features/billing/stripe-site.server";
import { syncCustomer } from "~/features/billing/sync-customer.server";
import { examineStripe } from "~/features/checks/check-stripe.server";
import { isSubscribed } from "~/features/membership/access";
import { findProfile } from "~db/queries/profiles";
import { newReader, type Reader } from "../support/payments";
import { openSandbox, type TestSandbox } from "../support/stripe-sandbox";
import { isFullRun } from "../support/test-scope.mjs";
import { openSharingSite, type SharingSite } from "../support/two-sites";

// concatenated, because it looks like a secret
const LIVE_KEY = ["sk", "live", "ofTheseTests"].join("_");
const BOOKS = ["https://first.example", "https://second.example"] as const;

/** How long two sites run beside each other. */
const MONTHS = isFullRun ? 12 : 2;

let account: TestSandbox;
beforeEach(async () => {
  account = await openSandbox({ secretKey: LIVE_KEY });
  // nothing listens at the sites' addresses
  await account.control("webhooks", { mode: "hold" });
});
afterEach(() => setEnvironment({}));

const open = async (url: string) => openSharingSite(account, { url, secretKey: LIVE_KEY });

/** Two sites that are set up and have a member each. */
async function twoSites(): Promise<{ sites: SharingSite[]; members: Reader[] }> {
  const sites: SharingSite[] = [];
  const members: Reader[] = [];
  for (const url of BOOKS) {
    const site = await open(url);
    await site.setUp();
    sites.push(site);
    members.push(await newMember(site));
  }
  return { sites, members };
}

async function newMember(site: SharingSite): Promise<Reader> {
  const reader = await newReader();
  await buy(reader, site);
  return reader;
}

async function buy(reader: Reader, { variables }: SharingSite): Promise<void> {
  const outcome = await startCheckout(reader, variables.STRIPE_PRICE_ID);
  if (outcome.kind !== "checkout") throw new Error(outcome.kind);
  await account.control(`sessions/${outcome.sessionId}/pay`);
  await syncCustomer(await customerOf(reader));
}

const customerOf = async ({ id }: Reader) => (await findProfile(id))?.stripeCustomerId ?? "";
const hasAccess = async ({ id }: Reader) => isSubscribed(await findProfile(id), new Date());
const found = async (name: string) =>
  (await examineStripe()).filter(({ what }) => what === name).map(({ found }) => found);
const writes = async () => {
  const response = await fetch(`${account.origin}/_control/requests`);
  const { counts } = (await response.json()) as { counts: Record<string, number> };
  return Object.keys(counts).filter((call) => !call.startsWith("GET "));
};

/** Everything at Stripe that has a site's mark, without what only time changes. */
async function markedObjects(site: SharingSite): Promise<unknown[]> {
  site.enter();
  const mark = (await siteMark())[SITE_KEY];
  const stripe = stripeClient();
  const lists: Promise<{ data: { id: string; metadata?: Stripe.Metadata | null }[] }>[] = [
    stripe.products.list({ limit: 100 }),
    stripe.prices.list({ limit: 100 }),
    stripe.customers.list({ limit: 100 }),
    stripe.subscriptions.list({ limit: 100, status: "all" }),
    stripe.checkout.sessions.list({ limit: 100 }),
    stripe.webhookEndpoints.list({ limit: 100 }),
    stripe.billingPortal.configurations.list({ limit: 100 }),
  ];
  return (await Promise.all(lists)).map(({ data }) => {
    const ours = data.filter(({ metadata }) => metadata?.[SITE_KEY] === mark);
    expect(ours.length, "each kind of object is marked").toBeGreaterThan(0);
    return ours;
  });
}

describe("two sites in one Stripe account", () => {
  it("have a product, price, portal, endpoint, customer and membership each, all marked", async () => {
    const { sites } = await twoSites();
    for (const site of sites) await markedObjects(site);
    expect(sites[0]?.variables.STRIPE_PRICE_ID).not.toBe(sites[1]?.variables.STRIPE_PRICE_ID);
  });

  it("advise about nothing that is the other's", async () => {
    const { sites } = await twoSites();
    for (const site of sites) {
      site.enter();
      expect((await examineStripe()).filter(({ what }) => what !== "Delivery of events")).toEqual(
        expect.arrayContaining([
          { level: "ok", what: "Subscriptions", found: "all 1 belong to an account" },
          { level: "ok", what: "Customers", found: "all 1 belong to an account" },
        ]),
      );
      expect(await reconcileFromStripe()).toMatchObject({ synced: 1, unresolved: [] });
    }
  });

  it("leave each other's objects as they are in setup, sync and doctor, for months", async () => {
    const { sites, members } = await twoSites();
    for (let month = 0; month < MONTHS; month++) {
      const { now } = await account.control<{ now: number }>("clock", { days: 31 });
      for (const [index, site] of sites.entries()) {
        const other = sites[1 - index] as SharingSite;
        const before = JSON.stringify(await markedObjects(other));
        await site.setUp(month % 3 === 0 ? { amount: String(10 + month) } : {});
        await reconcile(new Date(now * 1_000));
        await reconcileAll();
        await reconcileFromStripe();
        await examineStripe();
        expect(JSON.stringify(await markedObjects(other))).toBe(before);
        site.enter();
        const profile = await findProfile(members[index]?.id ?? "");
        expect(isSubscribed(profile, new Date(now * 1_000))).toBe(true);
      }
    }
  }, 120_000);

  it("ignore another program's customers that name a user", async () => {
    const site = await open(BOOKS[0]);
    await site.setUp();
    const metadata = { userId: "7b0ff1b5-5a51-4a3b-a6ec-1f8f1a4f0d11" };
    await stripeClient().customers.create({ email: "client@example.com", metadata });
    expect(await found("Customers")).toEqual(["all 0 belong to an account"]);
  });
});

describe("a site with the settings of another", () => {
  it("gets a product and a price of its own", async () => {
    const [first, second] = [await open(BOOKS[0]), await open(BOOKS[1])];
    await first.setUp();
    const { STRIPE_PRICE_ID: price = "" } = first.variables;
    second.variables.STRIPE_PRICE_ID = price;
    await second.setUp();
    expect(second.variables.STRIPE_PRICE_ID).not.toBe(price);
  });
});

describe("a copy of a site's database at another address", () => {
  /** A site with a member, and a copy of it. */
  async function siteAndCopy() {
    const site = await openSharingSite(account, { url: BOOKS[0], secretKey: LIVE_KEY });
    await site.setUp();
    const member = await newMember(site);
    const { database } = site;
    const copy = await openSharingSite(account, { url: BOOKS[1], secretKey: LIVE_KEY, database });
    Object.assign(copy.variables, { ...site.variables, PUBLIC_URL: BOOKS[1] });
    copy.enter();
    await account.control("requests/clear");
    return { site, copy, member };
  }

  it("sells and changes nothing, and doctor says which two commands decide", async () => {
    const { copy, member } = await siteAndCopy();
    const buyer = await newReader();
    await expect(startCheckout(buyer, copy.variables.STRIPE_PRICE_ID)).rejects.toThrow(
      `this database takes payments at ${BOOKS[0]}`,
    );
    await expect(copy.setUp({ amount: "20" })).rejects.toThrow("'stripe new-site'");
    await syncCustomer(await customerOf(member));
    expect(await deleteCustomer(await customerOf(member))).toEqual({ kind: "refused" });
    expect((await examineStripe()).find(({ what }) => what === "Site")).toMatchObject({
      level: "problem",
    });
    expect(await writes()).toEqual([]);
    expect(await hasAccess(member)).toBe(true);
  });

  it("goes on once it is adopted, and the former address is switched off", async () => {
    const { copy, member } = await siteAndCopy();
    await adoptSite();
    await copy.setUp();
    expect(await found("Webhook endpoint")).toEqual([
      expect.stringContaining(`events still go to ${BOOKS[0]}/webhooks/stripe too`),
    ]);
    await copy.setUp();
    const { data } = await stripeClient().webhookEndpoints.list();
    expect(data.filter(({ status }) => status === "enabled").map(({ url }) => url)).toEqual([
      `${BOOKS[1]}/webhooks/stripe`,
    ]);
    expect(await reconcileAll()).toMatchObject({ synced: 1 });
    expect(await hasAccess(member)).toBe(true);
    await newMember(copy);
  });

  it("knows none of the members once it is a new site", async () => {
    const { copy, member } = await siteAndCopy();
    const customer = await customerOf(member);
    expect(await startNewSite()).toBe(1);
    await copy.setUp();
    expect(await reconcileFromStripe()).toMatchObject({ synced: 0, unresolved: [] });
    expect(await found("Customers")).toEqual(["all 0 belong to an account"]);
    await buy(member, copy);
    expect(await customerOf(member)).not.toBe(customer);
    expect(await deleteCustomer(customer)).toEqual({ kind: "refused" });
  });
});

describe("a membership that this site did not sell", () => {
  it("is not advised about, and given to an account by a command", async () => {
    const site = await open(BOOKS[0]);
    await site.setUp();
    const { id } = await stripeClient().customers.create({ email: "link@example.com" });
    const sold = await account.control<Stripe.Subscription>(`customers/${id}/subscribe`, {
      priceId: site.variables.STRIPE_PRICE_ID,
    });
    expect(await found("Subscriptions")).toEqual([
      "all 0 belong to an account",
      expect.stringContaining(`not sold by this site: ${sold.id};`),
    ]);
    const reader = await newReader();
    await giveMembership(sold.id, reader.email);
    expect(await hasAccess(reader)).toBe(true);
    expect(await found("Subscriptions")).toEqual(["all 1 belong to an account"]);
    await expect(giveMembership(sold.id, (await newReader()).email)).rejects.toThrow("already");
  });

  it("of another site cannot be given", async () => {
    const { sites, members } = await twoSites();
    const theirs = (await findProfile(members[1]?.id ?? ""))?.stripeSubscriptionId ?? "";
    sites[0]?.enter();
    const { email } = await newReader();
    await expect(giveMembership(theirs, email)).rejects.toThrow("Another site has sold it.");
  });
});

describe("a row that names another site's customer", () => {
  it("is kept as it is, and nothing is changed at Stripe", async () => {
    const site = await open(BOOKS[0]);
    await site.setUp();
    const member = await newMember(site);
    const subscription = (await findProfile(member.id))?.stripeSubscriptionId ?? "";
    await stripeClient().subscriptions.update(subscription, { metadata: { [SITE_KEY]: "other" } });
    await account.control("requests/clear");
    await expect(syncCustomer(await customerOf(member))).rejects.toThrow("another site");
    expect(await hasAccess(member)).toBe(true);
    expect(await writes()).toEqual([]);
  });
});

describe("a membership from before sites were marked", () => {
  it("is marked at the next sync, with its customer", async () => {
    const site = await open(BOOKS[0]);
    await site.setUp();
    const member = await newMember(site);
    const customer = await customerOf(member);
    const subscription = (await findProfile(member.id))?.stripeSubscriptionId ?? "";
    const metadata = { [SITE_KEY]: "" };
    await stripeClient().subscriptions.update(subscription, { metadata });
    await stripeClient().customers.update(customer, { metadata });
    await syncCustomer(customer);
    expect(await hasAccess(member)).toBe(true);
    const mark = await siteMark();
    expect((await stripeClient().subscriptions.retrieve(subscription)).metadata).toMatchObject(
      mark,
    );
    expect(await stripeClient().customers.retrieve(customer)).toMatchObject({ metadata: mark });
  });
});
