import type Stripe from "stripe";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { setEnvironment } from "~/env.server";
import { openPortal } from "~/features/billing/portal.server";
import { linkToPortal } from "~/features/billing/portal-link.server";
import { updateProfile } from "~db/queries/profiles";
import { openAlteredStripe } from "../support/altered-stripe";
import { watchLog } from "../support/log";
import { newReader, type Reader } from "../support/payments";
import { openTestSite, type TestSite } from "../support/site";
import { type AuthorsSite, openAuthorsSite } from "../support/stripe-account";

let database: TestSite;
beforeAll(async () => {
  database = await openTestSite();
});
afterAll(() => database.close());

let site: AuthorsSite;
let customer: string;
/** The portal configuration that setup created. */
let configuration: string;
beforeEach(async () => {
  site = await openAuthorsSite();
  const { stripe } = site.account;
  customer = (await stripe.customers.create({ email: "reader@example.test" })).id;
  const { data } = await stripe.billingPortal.configurations.list({ is_default: false });
  configuration = data[0]?.id ?? "";
  await forgetRequests();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  setEnvironment({});
});

const SESSIONS = "POST /v1/billing_portal/sessions";
const CONFIGURATIONS = "GET /v1/billing_portal/configurations";
const DEFAULT_CONFIGURATION = "bpc_goldenPathSandbox";

const forgetRequests = () => site.account.control("requests/clear");

/** The numbers of requests to Stripe for configurations and for pages. */
async function calls(): Promise<[number, number]> {
  const response = await fetch(`${site.account.origin}/_control/requests`);
  const { counts } = (await response.json()) as { counts: Record<string, number> };
  return [counts[CONFIGURATIONS] ?? 0, counts[SESSIONS] ?? 0];
}

/** The portal's pages opened so far, the latest first. */
async function opened(): Promise<Stripe.BillingPortal.Session[]> {
  const type = "billing_portal.session.created";
  const { data } = await site.account.stripe.events.list({ type });
  return data.map(({ data }) => data.object as Stripe.BillingPortal.Session);
}

const open = () => openPortal(customer, "overview", "/billing");

/** Opens the portal, and resolves to its configuration. */
async function configurationUsed(): Promise<string | undefined> {
  await open();
  return (await opened())[0]?.configuration as string | undefined;
}

/** Creates another portal configuration, which Stripe lists first. */
async function configure(
  metadata: Record<string, string>,
  default_return_url?: string,
): Promise<string> {
  const { configurations } = site.account.stripe.billingPortal;
  const features = { invoice_history: { enabled: true } };
  return (await configurations.create({ features, metadata, default_return_url })).id;
}

const deactivate = (id: string) =>
  site.account.stripe.billingPortal.configurations.update(id, { active: false });

const OURS = { app: "the-golden-path" };

describe("the portal", () => {
  it("opens with setup's configuration, for the customer, and returns to the site", async () => {
    const url = await open();
    expect(await opened()).toMatchObject([
      {
        url,
        customer,
        configuration,
        flow: null,
        return_url: "https://book.example/billing",
      },
    ]);
  });

  it("can show only the form for a card, and then returns automatically", async () => {
    const url = await openPortal(customer, "card", "/billing");
    expect(await opened()).toMatchObject([
      {
        url,
        customer,
        configuration,
        return_url: "https://book.example/billing",
        flow: {
          type: "payment_method_update",
          after_completion: {
            type: "redirect",
            redirect: { return_url: "https://book.example/billing" },
          },
        },
      },
    ]);
  });

  it("uses the account's default configuration if none of setup's is active", async () => {
    await configure({ app: "another" }, "https://book.example/billing");
    await deactivate(configuration);
    expect(await configurationUsed()).toBe(DEFAULT_CONFIGURATION);
  });

  it("returns to this site, when others share the account", async () => {
    await configure(OURS);
    await configure(OURS, "https://book.example.net/billing");
    await configure(OURS, "https://another.example/?to=https://book.example/");
    expect(await configurationUsed()).toBe(configuration);
  });
});

describe("the portal's configuration", () => {
  it("is fetched again at once if Stripe no longer accepts it", async () => {
    await open();
    await deactivate(configuration);
    const replaced = await configure(OURS, "https://book.example/billing");
    expect(await configurationUsed()).toBe(replaced);
    expect(await calls()).toEqual([2, 3]);
    await open();
    expect(await calls()).toEqual([2, 4]);
  });
});

describe("the link to the portal", () => {
  let reader: Reader;
  beforeEach(async () => {
    reader = await newReader();
  });
  const becomeCustomer = () => updateProfile(reader.id, { stripeCustomerId: customer });

  it("is missing while Stripe fails, which is logged", async () => {
    await becomeCustomer();
    await site.account.control("faults", { kind: "error", status: 403, match: SESSIONS });
    const lines = watchLog();
    expect(await linkToPortal(reader.id, "overview")).toEqual({
      kind: "unavailable",
      message: expect.stringMatching(/refused to open this page/),
    });
    expect(lines).toMatchObject([
      {
        level: "error",
        message: "the billing portal could not be opened",
        facts: { userId: reader.id, err: { type: "StripePermissionError" } },
      },
    ]);
  });

  it("is missing if Stripe returns an invalid address", async () => {
    await becomeCustomer();
    const altered = await openAlteredStripe(site.account.origin, (answer) => {
      if (answer.object === "billing_portal.session") answer.url = "javascript:alert(1)";
    });
    site.restart({ STRIPE_API_BASE: altered });
    const lines = watchLog();
    const message = "The payment page is not encrypted.";
    expect(await linkToPortal(reader.id, "overview")).toEqual({ kind: "no-page", message });
    expect(lines).toEqual([{ level: "error", message, facts: { userId: reader.id } }]);
  });
});
