import type Stripe from "stripe";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { setup } from "~/commands/stripe-commands.server";
import { setEnvironment } from "~/env.server";
import { findPortalConfiguration } from "~/features/billing/portal.server";
import { portalProblems } from "~/features/billing/setup-portal.server";
import { apiVersion, findWebhookEndpoints } from "~/features/billing/setup-webhook.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { type SetupOptions, setUpStripe } from "~/features/billing/stripe-setup.server";
import { siteMark } from "~/features/billing/stripe-site.server";
import { WEBHOOK_EVENTS } from "~/features/billing/webhook.server";
import { type Database, openDatabase, setDatabase } from "~db/client";
import { runCommand } from "../../support/command";
import { watchLog } from "../../support/log";
import { createTestDatabase, type TestDatabase } from "../../support/postgres";
import { openSandbox, SANDBOX_KEY, type TestSandbox } from "../../support/stripe-sandbox";

let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url);
});
afterAll(async () => {
  setDatabase(null);
  await database.close();
  await testDatabase.drop();
});

/** Every test has its own account. */
let account: TestSandbox;

/** Configures a site that uses the local Stripe's API. */
function configure(variables: Record<string, string> = {}) {
  vi.unstubAllEnvs();
  const settings = {
    STRIPE_SECRET_KEY: SANDBOX_KEY,
    STRIPE_API_BASE: account.origin,
    PUBLIC_URL: "https://book.example",
    DATABASE_URL: testDatabase.url,
    LOG_LEVEL: "silent",
    ...variables,
  };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  setEnvironment({}, { partialStripe: true });
}

async function newAccount() {
  account = await openSandbox();
  configure();
}

beforeEach(async () => {
  // a command opens and closes one of its own
  setDatabase(database);
  await newAccount();
  secrets = [];
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  setEnvironment({});
});

/** Runs setup and configures what it prints, as the author does. */
async function setUpAndConfigure(options: SetupOptions = {}) {
  const result = await setUpStripe(options);
  configureResult(result);
  return result;
}

let secrets: string[] = [];
function configureResult({ priceId, webhook }: Awaited<ReturnType<typeof setUpStripe>>) {
  if (webhook.kind === "new") secrets.unshift(webhook.secret);
  configure({
    STRIPE_PRICE_ID: priceId,
    ...(secrets.length > 0 ? { STRIPE_WEBHOOK_SECRET: secrets.join() } : {}),
  });
}

/** Returns the output of the command. */
const printed = async (...options: string[]) =>
  (await runCommand("stripe", "setup", ...options)).stdout;

/** Creates a price of a product of the author's, by default one that setup would create. */
async function newPrice(
  product: string,
  terms: Partial<Stripe.PriceCreateParams> = {},
): Promise<Stripe.Price> {
  return account.stripe.prices.create({
    product,
    unit_amount: 999,
    currency: "usd",
    recurring: { interval: "month" },
    ...terms,
  });
}

/** Creates a product as setup does. */
const newProduct = async (more: Partial<Stripe.ProductCreateParams> = {}) =>
  account.stripe.products.create({
    name: "The Golden Path Premium",
    metadata: { app: "the-golden-path", ...(await siteMark()) },
    ...more,
  });

/** Returns the requests to Stripe since they were cleared, each with its number. */
async function requestCounts(): Promise<Record<string, number>> {
  const response = await fetch(`${account.origin}/_control/requests`);
  return (await response.json()).counts;
}

const ownProducts = async () =>
  (await account.stripe.products.list({ limit: 100 })).data.filter(
    ({ metadata }) => metadata.app === "the-golden-path",
  );
const enabledEndpoints = async () =>
  (await findWebhookEndpoints()).filter(({ status }) => status === "enabled");

describe("stripe setup", () => {
  it("creates a $9.99 monthly price, the webhook endpoint and the portal, and returns the secret", async () => {
    const { steps, priceId, webhook } = await setUpStripe();
    const price = await stripeClient().prices.retrieve(priceId);
    expect(price).toMatchObject({ unit_amount: 999, currency: "usd", active: true });
    expect(price.recurring).toMatchObject({ interval: "month", interval_count: 1 });
    expect(webhook).toEqual({
      kind: "new",
      secret: expect.stringMatching(/^whsec_/),
      replaces: false,
    });
    const [endpoint] = await findWebhookEndpoints();
    expect(endpoint).toMatchObject({
      url: "https://book.example/webhooks/stripe",
      status: "enabled",
      api_version: apiVersion(),
    });
    expect(endpoint?.enabled_events.toSorted()).toEqual(WEBHOOK_EVENTS.toSorted());
    const portals = await stripeClient().billingPortal.configurations.list({ is_default: false });
    expect(portals.data).toMatchObject([
      {
        metadata: { app: "the-golden-path", ...(await siteMark()) },
        business_profile: { headline: "The Golden Path: your membership" },
        default_return_url: "https://book.example/billing",
        features: {
          invoice_history: { enabled: true },
          payment_method_update: { enabled: true },
          subscription_cancel: {
            enabled: true,
            mode: "at_period_end",
            cancellation_reason: { enabled: true },
          },
        },
      },
    ]);
    expect(steps).toEqual([
      { what: "product", id: price.product, outcome: "created" },
      { what: "price", id: priceId, outcome: "created" },
      { what: "portal configuration", id: portals.data[0]?.id, outcome: "created" },
      { what: "webhook endpoint", id: endpoint?.id, outcome: "created" },
    ]);
  });

  it("changes nothing when it runs again", async () => {
    const first = await setUpAndConfigure();
    await account.control("requests/clear");
    const second = await setUpStripe();
    expect(second.priceId).toBe(first.priceId);
    expect(second.webhook).toEqual({ kind: "configured" });
    expect(second.steps).toEqual([
      { what: "price", id: first.priceId, outcome: "found" },
      { what: "portal configuration", id: expect.stringMatching(/^bpc_/), outcome: "found" },
      { what: "webhook endpoint", id: expect.stringMatching(/^we_/), outcome: "found" },
    ]);
    expect(Object.keys(await requestCounts()).filter((one) => !one.startsWith("GET "))).toEqual([]);
    expect(await findWebhookEndpoints()).toHaveLength(1);
  });

  it("creates nothing twice if the first run's output was lost", async () => {
    const first = await setUpStripe();
    const second = await setUpStripe();
    expect(second.priceId).toBe(first.priceId);
    expect(second.webhook).toEqual({ kind: "not configured" });
    expect(await ownProducts()).toHaveLength(1);
    expect(await findWebhookEndpoints()).toHaveLength(1);
  });

  it("uses the active one of its products, and leaves an archived one so unless asked", async () => {
    const { id } = await newProduct();
    await newProduct({ active: false });
    const { priceId } = await setUpStripe();
    expect((await stripeClient().prices.retrieve(priceId)).product).toBe(id);

    await newAccount();
    const former = await newProduct({ active: false });
    const { steps } = await setUpStripe();
    expect(steps[0]).toEqual({ what: "product", id: former.id, outcome: "archived" });
    expect(await ownProducts()).toMatchObject([{ id: former.id, active: false }]);
    const { steps: asked } = await setUpStripe({ unarchive: true });
    expect(asked[0]).toEqual({ what: "product", id: former.id, outcome: "updated" });
    expect(await ownProducts()).toMatchObject([{ id: former.id, active: true }]);
  });

  it("creates everything in another account, even if the settings name the old account's price", async () => {
    configure({ STRIPE_PRICE_ID: "price_ofAnotherAccount", STRIPE_WEBHOOK_SECRET: "whsec_other" });
    const { steps } = await setUpStripe();
    expect(steps.map(({ outcome }) => outcome)).toEqual(Array(4).fill("created"));
  });

  it("creates nothing if Stripe does not reveal whether the configured price exists", async () => {
    configure({ STRIPE_PRICE_ID: "price_hidden" });
    const match = "GET /v1/prices/price_hidden";
    await account.control("faults", { kind: "error", status: 403, match });
    await expect(setup({})).rejects.toThrow("A call to Stripe failed");
    expect(await ownProducts()).toEqual([]);
  });
});

describe("the price of stripe setup", () => {
  it("is a new one of the same product if the options ask for it", async () => {
    const first = await setUpAndConfigure();
    const second = await setUpStripe({ amount: "12.50", currency: "EUR", interval: "year" });
    const price = await stripeClient().prices.retrieve(second.priceId);
    const former = await stripeClient().prices.retrieve(first.priceId);
    expect(price).toMatchObject({ unit_amount: 1250, currency: "eur", product: former.product });
    expect(price.recurring).toMatchObject({ interval: "year", interval_count: 1 });
    expect(former.active).toBe(true);
    expect(second.steps[0]).toEqual({ what: "price", id: second.priceId, outcome: "created" });
    expect(await ownProducts()).toHaveLength(1);
    configureResult(second);
    expect(await memberProducts()).toEqual([former.product]);
  });

  it("survives another run before it is configured", async () => {
    const first = await setUpAndConfigure();
    const dear = await setUpStripe({ amount: "12.50" });
    const { priceId, steps } = await setUpStripe({ newWebhookSecret: true });
    expect(priceId).toBe(first.priceId);
    expect(steps[0]).toEqual({ what: "price", id: first.priceId, outcome: "found" });
    configure();
    expect((await setUpStripe()).priceId).toBe(dear.priceId);
  });

  it("is the former one again on request, even if the settings are lost", async () => {
    const first = await setUpAndConfigure();
    await setUpStripe({ amount: "12.50" });
    const { priceId, steps } = await setUpStripe({ interval: "month" });
    expect(priceId).toBe(first.priceId);
    expect(steps[0]).toEqual({ what: "price", id: first.priceId, outcome: "updated" });
    configure();
    expect((await setUpStripe()).priceId).toBe(first.priceId);
  });

  it("is an existing one only if all its terms match", async () => {
    const { id: product } = await newProduct();
    await newPrice(product, { recurring: undefined });
    await newPrice(product, { currency: "eur" });
    await newPrice(product, { unit_amount: 998 });
    await newPrice(product, { recurring: { interval: "year" } });
    await newPrice(product, { recurring: { interval: "month", interval_count: 3 } });
    await newPrice(product, { active: false });
    const created = await setUpStripe();
    expect(created.steps).toMatchObject([{ what: "price", outcome: "created" }, {}, {}]);
    const price = await stripeClient().prices.retrieve(created.priceId);
    expect(price).toMatchObject({ product, unit_amount: 999, currency: "usd" });
    expect(price.recurring).toMatchObject({ interval: "month", interval_count: 1 });

    await newAccount();
    const right = await newPrice((await newProduct()).id);
    await newPrice(right.product as string, { currency: "eur" });
    const { steps } = await setUpStripe();
    expect(steps[0]).toEqual({ what: "price", id: right.id, outcome: "updated" });
  });

  it.each([
    ["that is not marked", { active: true }],
    ["that is marked but not active", { active: false, metadata: { app: "the-golden-path" } }],
  ])(
    "created by hand for a product %s is kept, with its product marked, so its members stay members",
    async (_case, state) => {
      const product = await account.stripe.products.create({ name: "By hand", ...state });
      const price = await newPrice(product.id, { unit_amount: 2000, currency: "gbp" });
      // a price with the same terms does not replace the one on sale
      await newPrice(product.id, { unit_amount: 2000, currency: "gbp" });
      configure({ STRIPE_PRICE_ID: price.id });
      const { priceId, steps } = await setUpStripe({ unarchive: true });
      expect(priceId).toBe(price.id);
      expect(steps.slice(0, 2)).toEqual([
        { what: "product", id: product.id, outcome: "updated" },
        { what: "price", id: price.id, outcome: "updated" },
      ]);
      expect(await ownProducts()).toMatchObject([{ id: product.id, active: true }]);
      // even if the settings are lost
      configure();
      expect((await setUpStripe()).priceId).toBe(price.id);
    },
  );

  it.each([
    [{ amount: "12,50" }, "--amount: wanted an amount such as 12.50"],
    [{ amount: "1.005" }, "--amount: wanted an amount of at most 2 decimals in usd"],
    [{ amount: "1.5", currency: "jpy" }, "--amount: wanted an amount without decimals"],
    [{ amount: "1", currency: "euro" }, "--currency: wanted a code of three letters"],
    [{ currency: "eur" }, "--currency: wanted --amount beside it"],
    [{ amount: "1", interval: "day" }, "--interval: wanted 'month' or 'year'"],
  ])("refuses %o and creates nothing", async (options, message) => {
    await expect(setUpStripe(options)).rejects.toThrow(message);
    expect(await ownProducts()).toEqual([]);
  });
});

/** Returns the products marked at Stripe as the membership's. */
const memberProducts = async () => (await ownProducts()).map(({ id }) => id);

describe("the webhook endpoint of stripe setup", () => {
  it.each<[string, Stripe.WebhookEndpointUpdateParams]>([
    ["is disabled", { disabled: true }],
    ["has events that are not handled", { enabled_events: [...WEBHOOK_EVENTS, "price.created"] }],
  ])("that %s is corrected", async (_case, change) => {
    await setUpAndConfigure();
    const [endpoint] = await findWebhookEndpoints();
    const id = endpoint?.id ?? "";
    await account.stripe.webhookEndpoints.update(id, change);
    const { webhook, steps } = await setUpStripe();
    expect(webhook).toEqual({ kind: "configured" });
    expect(steps.at(-1)).toEqual({ what: "webhook endpoint", id, outcome: "updated" });
    const [repaired] = await findWebhookEndpoints();
    expect(repaired?.enabled_events.toSorted()).toEqual(WEBHOOK_EVENTS.toSorted());
    expect(repaired?.status).toBe("enabled");
  });

  it("returns its secret even if Stripe does not store its identifying fields", async () => {
    const match = "POST /v1/webhook_endpoints/";
    await account.control("faults", { kind: "error", status: 400, match });
    const lines = watchLog();
    const { webhook } = await setUpAndConfigure();
    expect(webhook).toMatchObject({ kind: "new", secret: expect.stringMatching(/^whsec_/) });
    const [endpoint] = await findWebhookEndpoints();
    expect(lines).toMatchObject([{ level: "warn", facts: { endpoint: endpoint?.id } }]);
    expect((await setUpStripe()).webhook).toEqual({ kind: "unknown" });
  });

  it("of another API version stays enabled until its successor's secret is configured", async () => {
    const old = await account.stripe.webhookEndpoints.create({
      url: "https://book.example/webhooks/stripe",
      enabled_events: ["invoice.paid"],
      api_version: "2024-06-20",
    });
    secrets = [old.secret ?? ""];
    configure({ STRIPE_WEBHOOK_SECRET: old.secret ?? "" });
    const first = await setUpStripe();
    expect(first.webhook).toMatchObject({ kind: "new", replaces: true });
    expect(await enabledEndpoints()).toHaveLength(2);
    // nothing is disabled before the secret is configured
    expect((await setUpStripe()).webhook).toEqual({ kind: "not configured" });
    expect(await enabledEndpoints()).toHaveLength(2);
    configureResult(first);
    const disabling = await setUpStripe();
    expect(disabling.webhook).toEqual({ kind: "configured" });
    expect(disabling.steps.slice(-2)).toEqual([
      { what: "webhook endpoint", id: expect.not.stringMatching(old.id), outcome: "found" },
      { what: "webhook endpoint that is replaced", id: old.id, outcome: "updated" },
    ]);
    expect((await enabledEndpoints()).map(({ api_version }) => api_version)).toEqual([
      apiVersion(),
    ]);
    // disabled endpoints stay unchanged
    expect((await setUpStripe()).steps.map(({ outcome }) => outcome)).toEqual(
      Array(3).fill("found"),
    );
  });

  it("whose secret is lost is replaced on request, and no event is missed meanwhile", async () => {
    await setUpStripe();
    const second = await setUpAndConfigure({ newWebhookSecret: true });
    expect(second.webhook).toMatchObject({ kind: "new", replaces: true });
    expect(await enabledEndpoints()).toHaveLength(2);
    expect((await setUpStripe()).webhook).toEqual({ kind: "configured" });
    expect(await enabledEndpoints()).toHaveLength(1);
    // one of the two to be replaced is already disabled
    const third = await setUpStripe({ newWebhookSecret: true });
    expect(third.webhook).toMatchObject({ kind: "new", replaces: true });
  });

  const PRIVATE = ["http://localhost:3000", "http://192.168.1.5"];
  it.each(PRIVATE)("is not created for %s, where events have to be forwarded", async (address) => {
    configure({ PUBLIC_URL: address });
    const output = await printed();
    expect((await account.stripe.webhookEndpoints.list()).data).toEqual([]);
    expect(output).toMatch(/^created {2}price: price_/m);
    expect(output).toMatch(/^created {2}portal configuration: bpc_/m);
    expect(output).toMatch(/^STRIPE_PRICE_ID=price_/m);
    expect(output).not.toMatch(/^STRIPE_WEBHOOK_SECRET=/m);
    expect(output).toContain(
      `stripe listen --forward-to ${address}/webhooks/stripe --events ${WEBHOOK_EVENTS.join()}`,
    );
  });
});

describe("the portal of stripe setup", () => {
  it.each<[string, Stripe.BillingPortal.ConfigurationUpdateParams, string[]]>([
    [
      "lets members do nothing, and returns to no page",
      {
        default_return_url: "",
        features: {
          invoice_history: { enabled: false },
          payment_method_update: { enabled: false },
          subscription_cancel: { enabled: false, mode: "immediately" },
        },
      },
      [
        "members cannot cancel",
        "members cannot change their card",
        "members cannot see their invoices",
        "returns to nowhere",
      ],
    ],
    [
      "cancels at once",
      { features: { subscription_cancel: { enabled: true, mode: "immediately" } } },
      ["canceling ends paid access right away"],
    ],
  ])("is corrected if it %s", async (_case, change, problems) => {
    await setUpAndConfigure();
    const right = await configuration();
    await account.stripe.billingPortal.configurations.update(right.id, change);
    expect(portalProblems(await configuration())).toEqual(problems);
    const { steps } = await setUpStripe();
    expect(steps[1]).toEqual({ what: "portal configuration", id: right.id, outcome: "updated" });
    const { id, features, default_return_url } = await configuration();
    expect({ id, features, default_return_url }).toEqual({
      id: right.id,
      features: right.features,
      default_return_url: "https://book.example/billing",
    });
    expect(portalProblems(await configuration())).toEqual([]);
  });

  async function configuration(): Promise<Stripe.BillingPortal.Configuration> {
    const found = await findPortalConfiguration();
    if (!found) throw new Error("The portal is not configured.");
    return found;
  }
});

describe("the output of stripe setup", () => {
  it("lists the secrets of endpoints that stay enabled after the new one", async () => {
    await setUpAndConfigure();
    const output = await printed("--new-webhook-secret");
    expect(output).toMatch(new RegExp(`^STRIPE_WEBHOOK_SECRET=whsec_\\w+,${secrets[0]}$`, "m"));
    expect(output).toContain("run 'stripe setup' again");
  });
});
