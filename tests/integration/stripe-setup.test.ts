import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { setup } from "~/commands/stripe-commands.server";
import { setEnvironment } from "~/env.server";
import { apiVersion, findWebhookEndpoints } from "~/features/billing/setup-webhook.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { type SetupOptions, setUpStripe } from "~/features/billing/stripe-setup.server";
import { WEBHOOK_EVENTS } from "~/features/billing/webhook.server";
import { openSandbox, SANDBOX_KEY, type TestSandbox } from "../support/stripe-sandbox";

/** Every test has its own account. */
let account: TestSandbox;

/** Configures a site whose Stripe API is the sandbox. */
function configure(variables: Record<string, string> = {}) {
  vi.unstubAllEnvs();
  const settings = {
    STRIPE_SECRET_KEY: SANDBOX_KEY,
    STRIPE_API_BASE: account.origin,
    PUBLIC_URL: "https://book.example",
    LOG_LEVEL: "silent",
    ...variables,
  };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  setEnvironment({}, { partialStripe: true });
}

beforeEach(async () => {
  account = await openSandbox();
  configure();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  process.exitCode = undefined;
  setEnvironment({});
});

/** Runs setup and configures what it prints, as the author does. */
async function setUpAndConfigure(options: SetupOptions = {}) {
  const result = await setUpStripe(options);
  configureResult(result);
  return result;
}

let secrets: string[] = [];
beforeEach(() => {
  secrets = [];
});

function configureResult({ priceId, webhook }: Awaited<ReturnType<typeof setUpStripe>>) {
  if (webhook.kind === "new") secrets.unshift(webhook.secret);
  configure({
    STRIPE_PRICE_ID: priceId,
    ...(secrets.length > 0 ? { STRIPE_WEBHOOK_SECRET: secrets.join() } : {}),
  });
}

/** The output of the command. */
async function printed(options: SetupOptions = {}): Promise<string> {
  let output = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    output += text;
    return true;
  });
  await setup(options).finally(() => vi.mocked(process.stdout.write).mockRestore());
  return output;
}

const ownProducts = async () =>
  (await account.stripe.products.list({ limit: 100 })).data.filter(
    ({ metadata }) => metadata.app === "the-golden-path",
  );
const enabledEndpoints = async () =>
  (await findWebhookEndpoints()).filter(({ status }) => status === "enabled");

describe("stripe setup", () => {
  it("creates a $9.99 monthly price, the webhook endpoint and the portal, and returns the secret", async () => {
    const { priceId, webhook } = await setUpStripe();
    const price = await stripeClient().prices.retrieve(priceId);
    expect(price).toMatchObject({ unit_amount: 999, currency: "usd", active: true });
    expect(price.recurring).toMatchObject({ interval: "month", interval_count: 1 });
    expect(webhook).toMatchObject({ kind: "new", secret: expect.stringMatching(/^whsec_/) });
    const [endpoint] = await findWebhookEndpoints();
    expect(endpoint).toMatchObject({
      url: "https://book.example/webhooks/stripe",
      status: "enabled",
      api_version: apiVersion(),
    });
    expect(endpoint?.enabled_events.toSorted()).toEqual([
      "charge.dispute.closed",
      "charge.dispute.created",
      "charge.dispute.updated",
      "charge.refunded",
      "checkout.session.async_payment_failed",
      "checkout.session.async_payment_succeeded",
      "checkout.session.completed",
      "checkout.session.expired",
      "customer.deleted",
      "customer.subscription.created",
      "customer.subscription.deleted",
      "customer.subscription.paused",
      "customer.subscription.resumed",
      "customer.subscription.updated",
      "customer.updated",
      "invoice.marked_uncollectible",
      "invoice.paid",
      "invoice.payment_action_required",
      "invoice.payment_failed",
      "invoice.voided",
      "refund.failed",
    ]);
    const portals = await stripeClient().billingPortal.configurations.list({ is_default: false });
    expect(portals.data).toMatchObject([
      {
        metadata: { app: "the-golden-path" },
        default_return_url: "https://book.example/billing",
        features: { subscription_cancel: { enabled: true, mode: "at_period_end" } },
      },
    ]);
  });

  it("changes nothing when it runs again", async () => {
    const first = await setUpAndConfigure();
    const second = await setUpStripe();
    expect(second.priceId).toBe(first.priceId);
    expect(second.webhook).toEqual({ kind: "configured" });
    expect(second.steps.map(({ outcome }) => outcome)).toEqual(["found", "found", "found"]);
    expect(await findWebhookEndpoints()).toHaveLength(1);
  });

  it("creates nothing twice after a run whose output was lost", async () => {
    const first = await setUpStripe();
    const second = await setUpStripe();
    expect(second.priceId).toBe(first.priceId);
    expect(second.webhook).toEqual({ kind: "not configured" });
    expect(await ownProducts()).toHaveLength(1);
    expect(await findWebhookEndpoints()).toHaveLength(1);
  });

  it("completes a run that ended after the product was created", async () => {
    const { id } = await account.stripe.products.create({
      name: "The Golden Path Premium",
      metadata: { app: "the-golden-path" },
    });
    const { priceId } = await setUpStripe();
    expect((await stripeClient().prices.retrieve(priceId)).product).toBe(id);
    expect(await ownProducts()).toHaveLength(1);
  });

  it("creates everything in another account, even if the settings name the old account's price", async () => {
    configure({ STRIPE_PRICE_ID: "price_ofAnotherAccount", STRIPE_WEBHOOK_SECRET: "whsec_other" });
    const { steps } = await setUpStripe();
    expect(steps.map(({ outcome }) => outcome)).toEqual(Array(4).fill("created"));
  });

  it("fails with a message when there is no key", async () => {
    vi.stubEnv("STRIPE_SECRET_KEY", "");
    await expect(setup({})).rejects.toThrow("STRIPE_SECRET_KEY: found nothing");
  });
});

describe("the price of stripe setup", () => {
  it("is another one of the same product if the options ask for it", async () => {
    const first = await setUpAndConfigure();
    const second = await setUpStripe({ amount: "12.50", currency: "EUR", interval: "year" });
    const price = await stripeClient().prices.retrieve(second.priceId);
    const former = await stripeClient().prices.retrieve(first.priceId);
    expect(price).toMatchObject({ unit_amount: 1250, currency: "eur", product: former.product });
    expect(price.recurring).toMatchObject({ interval: "year", interval_count: 1 });
    expect(former.active).toBe(true);
    expect(await ownProducts()).toHaveLength(1);
    configureResult(second);
    expect(await memberProducts()).toEqual([former.product]);
  });

  it("stays the author's choice when setup runs without options", async () => {
    await setUpAndConfigure();
    const dear = await setUpAndConfigure({ amount: "12.50" });
    expect((await setUpStripe()).priceId).toBe(dear.priceId);
    // even if the settings are lost
    configure();
    expect((await setUpStripe()).priceId).toBe(dear.priceId);
  });

  it.each([
    ["without options", {}],
    ["for another webhook secret", { newWebhookSecret: true }],
    ["whose options are left out", { amount: undefined, interval: undefined }],
  ])("is not reverted by a run %s before it is configured", async (_case, options) => {
    const first = await setUpAndConfigure();
    const dear = await setUpStripe({ amount: "12.50" });
    const { priceId, steps } = await setUpStripe(options);
    expect(priceId).toBe(first.priceId);
    expect(steps[0]).toEqual({ what: "price", id: first.priceId, outcome: "found" });
    configure();
    expect((await setUpStripe()).priceId).toBe(dear.priceId);
  });

  it("is the existing one when the same options are given again", async () => {
    const first = await setUpAndConfigure();
    const dear = await setUpAndConfigure({ amount: "12.50" });
    expect((await setUpStripe({ amount: "12.50" })).priceId).toBe(dear.priceId);
    expect((await setUpStripe({ amount: "9.99" })).priceId).toBe(first.priceId);
  });

  it("is created again, with the same amount and product, when it is no longer active", async () => {
    const { priceId } = await setUpAndConfigure({ amount: "1200", currency: "jpy" });
    await account.stripe.prices.update(priceId, { active: false });
    const again = await setUpStripe();
    expect(again.priceId).not.toBe(priceId);
    const price = await stripeClient().prices.retrieve(again.priceId);
    expect(price).toMatchObject({ unit_amount: 1200, currency: "jpy", active: true });
    expect(await ownProducts()).toHaveLength(1);
  });

  it("created by hand is kept, its product marked and activated, so that its members stay members", async () => {
    const product = await account.stripe.products.create({ name: "By hand", active: false });
    const price = await account.stripe.prices.create({
      product: product.id,
      unit_amount: 2000,
      currency: "gbp",
      recurring: { interval: "month" },
    });
    configure({ STRIPE_PRICE_ID: price.id });
    expect((await setUpStripe()).priceId).toBe(price.id);
    expect(await ownProducts()).toMatchObject([{ id: product.id, active: true }]);
  });

  it.each([
    [{ amount: "12,50" }, "--amount: wanted an amount such as 12.50"],
    [{ amount: "1.005" }, "--amount: wanted an amount of at most 2 decimals in usd"],
    [{ amount: "1.5", currency: "jpy" }, "--amount: wanted an amount without decimals"],
    [{ amount: "1", currency: "euro" }, "--currency: wanted a code of three letters"],
    [{ currency: "eur" }, "--currency: wanted --amount beside it"],
    [{ amount: "1", interval: "day" }, "--interval: wanted 'month' or 'year'"],
  ])("refuses %o and makes nothing", async (options, message) => {
    await expect(setUpStripe(options)).rejects.toThrow(message);
    expect(await ownProducts()).toEqual([]);
  });
});

/** The products marked at Stripe as the membership's. */
const memberProducts = async () => (await ownProducts()).map(({ id }) => id);

describe("the webhook endpoint of stripe setup", () => {
  it("gets back events that were removed, and is enabled again", async () => {
    await setUpAndConfigure();
    const [endpoint] = await findWebhookEndpoints();
    await account.stripe.webhookEndpoints.update(endpoint?.id ?? "", {
      enabled_events: ["invoice.paid"],
      disabled: true,
    });
    expect((await setUpStripe()).webhook).toEqual({ kind: "configured" });
    const [mended] = await findWebhookEndpoints();
    expect(mended?.enabled_events).toHaveLength(WEBHOOK_EVENTS.length);
    expect(mended?.status).toBe("enabled");
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
    // before it is configured nothing is disabled
    expect((await setUpStripe()).webhook).toEqual({ kind: "not configured" });
    expect(await enabledEndpoints()).toHaveLength(2);
    configureResult(first);
    expect((await setUpStripe()).webhook).toEqual({ kind: "configured" });
    expect((await enabledEndpoints()).map(({ api_version }) => api_version)).toEqual([
      apiVersion(),
    ]);
  });

  it("whose secret is lost is replaced on request, and no event is missed meanwhile", async () => {
    await setUpStripe();
    const second = await setUpAndConfigure({ newWebhookSecret: true });
    expect(second.webhook).toMatchObject({ kind: "new", replaces: true });
    expect(await enabledEndpoints()).toHaveLength(2);
    expect((await setUpStripe()).webhook).toEqual({ kind: "configured" });
    expect(await enabledEndpoints()).toHaveLength(1);
  });

  it("created by hand is kept, since its secret cannot be known", async () => {
    await account.stripe.webhookEndpoints.create({
      url: "https://book.example/webhooks/stripe",
      enabled_events: [...WEBHOOK_EVENTS],
      api_version: apiVersion() as "2026-10-28.endive",
    });
    configure({ STRIPE_WEBHOOK_SECRET: "whsec_byHand" });
    expect((await setUpStripe()).webhook).toEqual({ kind: "unknown" });
    expect(await findWebhookEndpoints()).toHaveLength(1);
  });

  it("of another site of the account is left alone", async () => {
    const other = await account.stripe.webhookEndpoints.create({
      url: "https://other.example/webhooks/stripe",
      enabled_events: ["*"],
    });
    await setUpAndConfigure();
    await setUpStripe();
    expect((await account.stripe.webhookEndpoints.retrieve(other.id)).status).toBe("enabled");
  });

  it.each([
    "http://localhost:3000",
    "http://127.0.0.1:3000",
    "http://book.local",
    "http://192.168.1.5",
  ])(
    "is not created for %s: everything else is, and the command says how to forward events",
    async (address) => {
      configure({ PUBLIC_URL: address });
      const create = vi.spyOn(stripeClient().webhookEndpoints, "create");
      const output = await printed();
      expect(create).not.toHaveBeenCalled();
      expect(process.exitCode).toBeUndefined();
      expect(output).toMatch(/^created {2}price: price_/m);
      expect(output).toMatch(/^created {2}portal configuration: bpc_/m);
      expect(output).toMatch(/^STRIPE_PRICE_ID=price_/m);
      expect(output).not.toMatch(/^STRIPE_WEBHOOK_SECRET=/m);
      expect(output).toContain(
        `stripe listen --forward-to ${address}/webhooks/stripe --events ${WEBHOOK_EVENTS.join()}`,
      );
    },
  );

  it("that Stripe rejects fails the command, after everything else is created and printed", async () => {
    vi.spyOn(stripeClient().webhookEndpoints, "create").mockRejectedValue(
      await account.stripe.webhookEndpoints
        .create({ url: "nowhere", enabled_events: ["*"] })
        .catch((error: unknown) => error),
    );
    await expect(printed()).rejects.toThrow(
      "Stripe rejected the webhook endpoint https://book.example/webhooks/stripe",
    );
    expect(await ownProducts()).toHaveLength(1);
  });
});

describe("what stripe setup prints", () => {
  it("is the variables to set, with the secret", async () => {
    const output = await printed();
    expect(output).toMatch(/^STRIPE_PRICE_ID=price_\w+$/m);
    expect(output).toMatch(/^STRIPE_WEBHOOK_SECRET=whsec_\w+$/m);
  });

  it("keeps the secrets of the endpoints that stay enabled, after the new one", async () => {
    await setUpAndConfigure();
    const output = await printed({ newWebhookSecret: true });
    expect(output).toMatch(new RegExp(`^STRIPE_WEBHOOK_SECRET=whsec_\\w+,${secrets[0]}$`, "m"));
    expect(output).toContain("run 'stripe setup' again");
  });

  it("says that members keep paying the previous price", async () => {
    const { priceId } = await setUpAndConfigure();
    expect(await printed({ amount: "12.50" })).toContain(`${priceId}, keep paying it`);
    expect(await printed()).not.toContain("keep paying");
  });
});
