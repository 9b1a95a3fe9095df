import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SANDBOX_STRIPE, setEnvironment } from "~/env.server";
import { startCheckout } from "~/features/billing/checkout.server";
import { reconcileAll } from "~/features/billing/reconcile.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { examineStripe, type Finding } from "~/features/billing/stripe-doctor.server";
import {
  apiVersion,
  findWebhookEndpoints,
  setUpStripe,
} from "~/features/billing/stripe-setup.server";
import { WEBHOOK_EVENTS } from "~/features/billing/webhook.server";
import { findProfile, updateProfile } from "~db/queries/profiles";
import { control, newReader } from "../support/payments";
import { openTestSite, type TestSite } from "../support/site";

let site: TestSite;
beforeAll(async () => {
  site = await openTestSite({ payments: {} });
});
afterAll(() => site.close());

let count = 0;

/** The settings of a site that sells at "Stripe", which is the sandbox by its API's address. */
function configureStripe(variables: Record<string, string> = {}) {
  setEnvironment(
    {
      STRIPE_SECRET_KEY: SANDBOX_STRIPE.secretKey,
      STRIPE_API_BASE: site.sandboxOrigin,
      PUBLIC_URL: `https://site-${count}.test`,
      LOG_LEVEL: "silent",
      ...variables,
    },
    { partialStripe: true },
  );
}

beforeEach(() => {
  count++;
  configureStripe();
});

describe("stripe setup", () => {
  it("makes a $9.99 monthly price, the webhook endpoint and the portal, and tells the secret", async () => {
    const result = await setUpStripe();
    const price = await stripeClient().prices.retrieve(result.priceId);
    expect(price).toMatchObject({ unit_amount: 999, currency: "usd", active: true });
    expect(price.recurring).toMatchObject({ interval: "month", interval_count: 1 });
    expect(result.webhookSecret).toMatch(/^whsec_/);
    const [endpoint] = await findWebhookEndpoints();
    expect(endpoint).toMatchObject({
      url: `https://site-${count}.test/webhooks/stripe`,
      status: "enabled",
      api_version: apiVersion(),
    });
    expect([...(endpoint?.enabled_events ?? [])].sort()).toEqual([...WEBHOOK_EVENTS].sort());
    const portals = await stripeClient().billingPortal.configurations.list({ active: true });
    expect(portals.data.filter(({ metadata }) => metadata?.app === "the-golden-path")).toHaveLength(
      1,
    );
  });

  it("changes nothing when it runs again", async () => {
    const first = await setUpStripe();
    const second = await setUpStripe();
    expect(second.priceId).toBe(first.priceId);
    expect(second.webhookSecret).toBeNull();
    expect(second.steps.map(({ outcome }) => outcome)).toEqual(["found", "found", "found"]);
    expect(await findWebhookEndpoints()).toHaveLength(1);
  });

  it("puts back the events somebody took away from the endpoint", async () => {
    await setUpStripe();
    const [endpoint] = await findWebhookEndpoints();
    await stripeClient().webhookEndpoints.update(endpoint?.id ?? "", {
      enabled_events: ["invoice.paid"],
    });
    await setUpStripe();
    const [mended] = await findWebhookEndpoints();
    expect(mended?.enabled_events).toHaveLength(WEBHOOK_EVENTS.length);
  });

  it("replaces an endpoint of another API version and disables it", async () => {
    const old = await stripeClient().webhookEndpoints.create({
      url: `https://site-${count}.test/webhooks/stripe`,
      enabled_events: ["invoice.paid"],
      api_version: "2024-06-20",
    });
    const { webhookSecret } = await setUpStripe();
    expect(webhookSecret).toMatch(/^whsec_/);
    const endpoints = await findWebhookEndpoints();
    expect(endpoints.filter(({ status }) => status === "enabled")).toHaveLength(1);
    expect(endpoints.find(({ id }) => id === old.id)?.status).toBe("disabled");
  });
});

describe("stripe doctor", () => {
  const off = (findings: Finding[]) => findings.filter(({ ok }) => !ok);

  async function setUpAndConfigure() {
    const { priceId, webhookSecret } = await setUpStripe();
    configureStripe({
      STRIPE_PRICE_ID: priceId,
      STRIPE_WEBHOOK_SECRET: webhookSecret ?? "whsec_known",
    });
    return priceId;
  }

  it("finds nothing off after setup", async () => {
    await setUpAndConfigure();
    await reconcileAll();
    expect(off(await examineStripe())).toEqual([]);
  });

  it("sees a missing endpoint and a wrong price", async () => {
    const cheap = await stripeClient().prices.create({
      unit_amount: 100,
      currency: "usd",
      recurring: { interval: "month" },
      product: SANDBOX_STRIPE.productId,
    });
    configureStripe({
      STRIPE_PRICE_ID: cheap.id,
      STRIPE_WEBHOOK_SECRET: "whsec_known",
    });
    expect(off(await examineStripe()).map(({ what }) => what)).toEqual(
      expect.arrayContaining(["Price", "Webhook endpoint"]),
    );
  });

  it("names a member whose row and Stripe differ, and changes nothing", async () => {
    site.restoreEnvironment();
    const reader = await newReader();
    const outcome = await startCheckout(reader, SANDBOX_STRIPE.priceId);
    if (outcome.kind !== "checkout") throw new Error(outcome.kind);
    await control(site.sandboxOrigin, `sessions/${outcome.sessionId}/pay`);
    const findings = off(await examineStripe());
    expect(findings.find(({ what }) => what.includes(reader.id))?.found).toContain("stripePriceId");
    expect((await findProfile(reader.id))?.stripePriceId).toBeNull();
    await reconcileAll();
    expect(off(await examineStripe()).map(({ what }) => what)).not.toContain(`Member ${reader.id}`);
  });

  it("names a customer with two live subscriptions", async () => {
    site.restoreEnvironment();
    const reader = await newReader();
    const outcome = await startCheckout(reader, SANDBOX_STRIPE.priceId);
    if (outcome.kind !== "checkout") throw new Error(outcome.kind);
    await control(site.sandboxOrigin, `sessions/${outcome.sessionId}/pay`);
    const customer = (await findProfile(reader.id))?.stripeCustomerId;
    await control(site.sandboxOrigin, `customers/${customer}/subscribe`, {
      priceId: SANDBOX_STRIPE.priceId,
    });
    await reconcileAll();
    const finding = off(await examineStripe()).find(({ what }) => what.includes(reader.id));
    expect(finding?.found).toContain("2 live subscriptions");
    await updateProfile(reader.id, { stripeCustomerId: null });
  });

  it("says what could not be looked at when Stripe does not answer, and goes on", async () => {
    site.restoreEnvironment();
    await control(site.sandboxOrigin, "faults", { kind: "error", status: 500, times: 0 });
    const findings = await examineStripe();
    await control(site.sandboxOrigin, "faults/clear");
    expect(off(findings).some(({ found }) => found.startsWith("could not be looked at"))).toBe(
      true,
    );
    expect(findings.some(({ what }) => /event/i.test(what))).toBe(true);
  });
});
