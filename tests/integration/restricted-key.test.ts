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

/**
 * The permissions that a restricted key needs, by a call's resource and by the expanded property: Stripe refuses a
 * call unless the key may read every expanded object.
 */
const PERMISSIONS: Record<string, string[]> = {
  "billing_portal/configurations": ["Customer portal"],
  "billing_portal/sessions": ["Customer portal"],
  charges: ["Charges and Refunds"],
  "checkout/sessions": ["Checkout Sessions"],
  customers: ["Customers"],
  disputes: ["Disputes"],
  events: ["Events"],
  invoices: ["Invoices"],
  prices: ["Prices"],
  products: ["Products"],
  subscriptions: ["Subscriptions"],
  webhook_endpoints: ["Webhook Endpoints"],

  customer: ["Customers"],
  data: [],
  default_payment_method: ["Payment Methods"],
  invoice_settings: [],
  latest_invoice: ["Invoices"],
  // each names the payment intent that paid
  payments: ["Invoices", "Payment Intents"],
  product: ["Products"],
  refunds: ["Charges and Refunds"],
};

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
const forDoctor = documented(/`stripe doctor` also needs ([\w\s,]+: read)\./g);

function permissionsFor(name: string): string[] {
  const found = PERMISSIONS[name];
  if (!found) throw new Error(`Which permission is needed for ${name}?`);
  return found;
}

/** The permissions that the calls since the last time have needed. */
async function needed({ account }: AuthorsSite): Promise<Permission[]> {
  const answer = await fetch(`${account.origin}/_control/requests`);
  const { requests } = (await answer.json()) as {
    requests: { endpoint: string; expand: string[] }[];
  };
  await account.control("requests/clear");
  return requests.flatMap(({ endpoint, expand }) => {
    const [, method, resource = ""] =
      /^(\w+) \/v1\/((?:billing_portal\/|checkout\/)?\w+)/.exec(endpoint) ?? [];
    const level = method === "GET" ? "read" : "write";
    const expanded = expand.flatMap((path) => path.split("."));
    return [
      ...permissionsFor(resource).map((name): Permission => [name, level]),
      ...expanded.flatMap(permissionsFor).map((name): Permission => [name, "read"]),
    ];
  });
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
    site.restart();
    await live(site);
    expect(listed(inTable)).toEqual(listed(await needed(site)));

    site.restart();
    await examineStripe();
    const doctor = await needed(site);
    expect(listed([...inTable, ...forDoctor])).toEqual(listed([...inTable, ...doctor]));
    expect(listed([...inTable, ...forSetup])).toEqual(listed([...inTable, ...setup]));
  });
});
