import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { confirmPurchase } from "~/features/billing/checkout-success.server";
import { deleteCustomer } from "~/features/billing/delete-customer.server";
import { linkToPortal } from "~/features/billing/portal-link.server";
import { reconcileAll } from "~/features/billing/reconcile.server";
import { reconcileFromStripe } from "~/features/billing/reconcile-from-stripe.server";
import { processUndeliveredEvents } from "~/features/billing/undelivered-events.server";
import { examineStripe } from "~/features/checks/check-stripe.server";
import { STRIPE_ADVICE } from "~/features/checks/stripe-advice";
import { RESOURCES } from "~/sandbox/stripe/engine/permissions";
import { findProfile } from "~db/queries/profiles";
import type { Reader } from "../support/payments";
import { openTestSite, type TestSite } from "../support/site";
import {
  type AuthorsSite,
  customerOf,
  hasAccess,
  newMember,
  openAuthorsSite,
  syncReader,
} from "../support/stripe-account";

type Permission = [name: string, level: "read" | "write"];

/** `Charges and Refunds: read` for each permission, once, in order; write access includes read. */
function listed(permissions: Permission[]): string[] {
  const reads = permissions.filter(([, level]) => level === "read");
  const writes = permissions.filter(([, level]) => level === "write");
  return [...new Map([...reads, ...writes])].map(([name, level]) => `${name}: ${level}`).sort();
}

const DOCUMENT = readFileSync(resolve(import.meta.dirname, "../../docs/going-live.md"), "utf8");

/** The permissions in the document, wherever it says `Products, Prices and Events: read` between two texts. */
function documented(pattern: RegExp): Permission[] {
  return [...DOCUMENT.matchAll(pattern)].flatMap(([, text = ""]) => {
    const [names = "", level] = text.split(": ");
    const each = names.replace(/ and (?!Refunds)/, ", ").split(", ");
    return each.map((name): Permission => [name, level as "read" | "write"]);
  });
}

const inTable = documented(/^\| ([\w ,]+: (?:read|write)) +\|/gm);
const forSetup = documented(/may be run with another key: ([\w\s,]+: write)\./g);

/** The permissions that the calls since the last time have needed, according to the local Stripe. */
async function needed({ account }: AuthorsSite): Promise<Permission[]> {
  const answer = await fetch(`${account.origin}/_control/requests`);
  const { requests } = (await answer.json()) as { requests: { permissions: string[] }[] };
  await account.control("requests/clear");
  return requests.flatMap(({ permissions }) =>
    permissions.map((permission): Permission => {
      const [, resource, level] = /^(\w+)_(read|write)$/.exec(permission) ?? [];
      return [RESOURCES[resource as keyof typeof RESOURCES], level as "read" | "write"];
    }),
  );
}

/** Gives the site a restricted key with these permissions. */
async function useKey(site: AuthorsSite, permissions: string[]): Promise<void> {
  const key = "rk_test_authorsSite";
  await site.account.control("keys", { key, permissions });
  site.restart({ STRIPE_SECRET_KEY: key });
}

let database: TestSite;
beforeAll(async () => {
  database = await openTestSite();
});
afterAll(() => database.close());
afterEach(() => setEnvironment({}));

/** Every operation of the site at Stripe. */
async function live(site: AuthorsSite): Promise<void> {
  const { account } = site;
  const member = await newMember(site);
  expect(await hasAccess(member)).toBe(true);
  expect((await linkToPortal(member.id, "card")).kind).toBe("page");
  await confirmPurchase(member.id, "cs_test_made_up", async () => true);

  await account.control(`subscriptions/${await subscriptionOf(member)}/renew`, {
    outcome: "declined",
  });
  await syncReader(member);
  await account.control(`customers/${await customerOf(member)}/card`, { card: "4242424242424242" });
  await syncReader(member);

  const disputed = await newMember(site);
  await account.control(`subscriptions/${await subscriptionOf(disputed)}/dispute`);
  await syncReader(disputed);
  expect(await hasAccess(disputed)).toBe(false);

  await reconcileAll();
  await reconcileFromStripe();
  await processUndeliveredEvents();
  expect((await deleteCustomer(await customerOf(member))).kind).toBe("deleted");
}

const subscriptionOf = async ({ id }: Reader) =>
  (await findProfile(id))?.stripeSubscriptionId ?? "";

describe("a restricted key with the permissions of docs/going-live.md", () => {
  it("allows exactly the calls of the site, its setup and its doctor", async () => {
    const site = await openAuthorsSite();
    const setup = await needed(site);
    await useKey(site, listed(inTable));
    await live(site);
    const ofSite = await needed(site);
    const found = (await examineStripe()).filter(({ found }) => /be checked|lacks/.test(found));
    expect(found).toEqual([]);
    expect(listed(inTable)).toEqual(listed([...ofSite, ...(await needed(site))]));
    expect(listed([...inTable, ...forSetup])).toEqual(listed([...inTable, ...setup]));
  });

  it("lets in who has paid, and new cards wait, if it may not read payment methods", async () => {
    const site = await openAuthorsSite();
    const all = listed(inTable);
    await useKey(
      site,
      all.filter((permission) => permission !== "Payment Methods: read"),
    );
    const member = await newMember(site);
    const customer = await customerOf(member);
    await site.account.control(`customers/${customer}/card`, { card: "5555555555554444" });
    await syncReader(member);
    expect(await hasAccess(member)).toBe(true);
    const pinned = async () => {
      const { data } = await site.account.stripe.subscriptions.list({ customer });
      return data[0]?.default_payment_method;
    };
    expect(await pinned()).toMatch(/^pm_/);
    await useKey(site, all);
    await syncReader(member);
    expect(await pinned()).toBeNull();
  });
});

describe("stripe doctor", () => {
  it.each(listed(inTable))("misses %s, also while there is no member", async (permission) => {
    const site = await openAuthorsSite();
    await useKey(
      site,
      listed(inTable).filter((one) => one !== permission),
    );
    expect(await examineStripe()).toContainEqual({
      level: "problem",
      what: "Permissions",
      found: `the key lacks ${permission}`,
      advice: STRIPE_ADVICE.givePermission,
    });
  });
});
