import type Stripe from "stripe";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { SANDBOX_STRIPE, setEnvironment } from "~/env.server";
import { startCheckout } from "~/features/billing/checkout.server";
import { premiumProducts } from "~/features/billing/premium-product.server";
import { reconcileAll, unlinkCustomer } from "~/features/billing/reconcile.server";
import { reconcileFromStripe } from "~/features/billing/reconcile-from-stripe.server";
import { apiVersion, findWebhookEndpoints } from "~/features/billing/setup-webhook.server";
import { setUpStripe } from "~/features/billing/stripe-setup.server";
import { adoptSite, SITE_KEY, siteMark } from "~/features/billing/stripe-site.server";
import { processUndeliveredEvents } from "~/features/billing/undelivered-events.server";
import { WEBHOOK_EVENTS } from "~/features/billing/webhook.server";
import { checkPayments, examineStripe } from "~/features/checks/check-stripe.server";
import { STRIPE_ADVICE } from "~/features/checks/stripe-advice";
import { findProfile, updateProfile } from "~db/queries/profiles";
import { insertStripePrice } from "~db/queries/stripe-prices";
import { insertWebhookEvent } from "~db/queries/webhook-events";
import { deleteUser } from "../../support/delete-user";
import { type LogLine, watchLog } from "../../support/log";
import { metricValue } from "../../support/metrics";
import { newReader, type Reader } from "../../support/payments";
import { testSite } from "../../support/site";
import {
  type AuthorsSite,
  customerOf,
  hasAccess,
  newMember,
  openAuthorsSite,
  problemsFound,
  syncReader,
} from "../../support/stripe-account";
import { openSandbox, SANDBOX_PRICE } from "../../support/stripe-sandbox";

const HOUR = 60 * 60_000;

testSite();
let site: AuthorsSite;
let member: Reader;
beforeEach(async () => {
  site = await openAuthorsSite();
  member = await newMember(site);
});

const onlyEndpoint = async () => {
  const [endpoint] = await findWebhookEndpoints();
  if (!endpoint) throw new Error("No endpoint found.");
  return endpoint;
};

/** Another product of the author's, also a subscription. */
async function coaching(): Promise<Stripe.Price> {
  const product = await site.account.stripe.products.create({ name: "Coaching" });
  return site.account.stripe.prices.create({
    product: product.id,
    unit_amount: 20_000,
    currency: "usd",
    recurring: { interval: "month" },
  });
}

const subscribe = (customer: string, priceId: string | undefined) =>
  site.account.control<Stripe.Subscription>(`customers/${customer}/subscribe`, { priceId });

/** Returns the findings with this name, out of a whole examination. */
const findings = async (name: string) =>
  (await examineStripe()).filter(({ what }) => what === name);

const fine = (what: string, found: string) => ({ level: "ok", what, found });
const wrong = (what: string, found: unknown, advice: keyof typeof STRIPE_ADVICE) => ({
  ...{ level: "problem", what, found },
  advice: STRIPE_ADVICE[advice],
});

/** Makes Stripe reject requests at once, by default for lack of a permission. */
const forbid = (match: string, times = 0, status = 403) =>
  site.account.control("faults", { kind: "error", status, times, match });

/** Moves the clock to when Stripe should have delivered every event. */
const inTenMinutes = () => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10 * 60_000 });

const priceOnSale = () => site.variables.STRIPE_PRICE_ID ?? "";

async function productOnSale(): Promise<string> {
  return String((await site.account.stripe.prices.retrieve(priceOnSale())).product);
}

async function onlyConfiguration(): Promise<string> {
  const { data } = await site.account.stripe.billingPortal.configurations.list({
    is_default: false,
  });
  if (data.length !== 1 || !data[0]) throw new Error(`${data.length} configurations.`);
  return data[0].id;
}

/** Returns the handled events, newest first; none has been delivered. */
async function undeliveredEvents(): Promise<Stripe.Event[]> {
  const { data } = await site.account.stripe.events.list({ limit: 100 });
  return data.filter(({ type }) => (WEBHOOK_EVENTS as string[]).includes(type));
}

/** Adds another endpoint at the site's address, as created in Stripe's dashboard: its secret is unknown. */
const addEndpoint = (version = apiVersion()) =>
  site.account.stripe.webhookEndpoints.create({
    url: "https://book.example/webhooks/stripe",
    enabled_events: [...WEBHOOK_EVENTS],
    api_version: version as "2024-06-20",
  });

describe("stripe doctor", () => {
  it("accepts members at the previous price after a new one is set", async () => {
    await site.setUp({ amount: "12.50", currency: "eur" });
    await reconcileAll();
    expect(await problemsFound()).toEqual([]);
    expect(await hasAccess(member)).toBe(true);
  });

  it("ignores the author's other products", async () => {
    const { id } = await coaching();
    await subscribe(await customerOf(member), id);
    const stranger = await site.account.stripe.customers.create({ email: "client@example.com" });
    await subscribe(stranger.id, id);
    expect(await problemsFound()).toEqual([]);
  });

  it("lists the customers of deleted accounts without reporting a problem", async () => {
    const reader = await newMember(site);
    const customer = await customerOf(reader);
    const customers = async () =>
      (await examineStripe()).find(({ what }) => what === "Customers")?.found ?? "";
    expect(await customers()).toMatch(/^all \d+ belong to an account$/);
    const { data } = await site.account.stripe.subscriptions.list({ customer });
    await cancel(data[0]?.id ?? "");
    await deleteUser(reader.id);
    expect(await customers()).toContain(`are of accounts that are gone: ${customer};`);
    expect(await problemsFound()).toEqual([]);
  });

  it("resumes after a member, reports progress, and changes nothing", async () => {
    const others = [await newMember(site), await newMember(site), await newMember(site)];
    const ids = [member, ...others].map(({ id }) => id).sort();
    for (const id of ids) await updateProfile(id, { stripePriceId: null });
    const progress: unknown[] = [];
    const findings = await examineStripe({
      afterId: ids[1],
      onProgress: (step) => progress.push(step),
    });
    expect(findings.map(({ what }) => what).sort()).toEqual([
      `Member ${ids[2]}`,
      `Member ${ids[3]}`,
    ]);
    expect(progress).toEqual([
      { done: 2, total: 2, secondsLeft: expect.any(Number), reached: ids[3] },
    ]);
    for (const id of ids) expect(await findProfile(id)).toMatchObject({ stripePriceId: null });
  });

  it("does not report events that only another endpoint of the account missed", async () => {
    inTenMinutes();
    for await (const { id, type, created } of site.account.stripe.events.list({ limit: 100 })) {
      await insertWebhookEvent({
        id,
        type,
        apiVersion: null,
        stripeCustomerId: null,
        occurredAt: new Date(created * 1_000),
      });
    }
    expect(await problemsFound()).toEqual([]);
  });
});

describe("a finding of stripe doctor", () => {
  it("reports the details of healthy settings", async () => {
    expect(await examineStripe()).toEqual([
      fine("Key", "accepted by Stripe, test mode"),
      fine("Publishable key", "not set"),
      fine("Permissions", "the key has all that the site needs"),
      fine("Site", (await siteMark())[SITE_KEY]),
      fine("Price", `${priceOnSale()}, 9.99 usd a month`),
      fine("Product", await productOnSale()),
      fine("Webhook endpoint", (await onlyEndpoint()).id),
      fine("Webhook secret", "the endpoint's"),
      fine("Delivery of events", "nothing was missed in 3 days"),
      fine("Last events", "none in the ledger"),
      fine("Portal configuration", await onlyConfiguration()),
      fine("Domain of Stripe's pages", "unknown while no checkout is open"),
      fine("Payment methods", "card, us_bank_account"),
      fine("Subscriptions", "all 1 belong to an account"),
      fine("Customers", "all 1 belong to an account"),
      fine("Members", "1 rows agree with Stripe"),
    ]);
  });

  it("does not ask for an endpoint or a portal configuration with the local Stripe", async () => {
    const { priceId, productId, secretKey } = SANDBOX_STRIPE;
    const price = { ...SANDBOX_PRICE, id: priceId, productId };
    const { port } = await openSandbox({ secretKey, price });
    setEnvironment({ PAYMENTS: "sandbox", STRIPE_SANDBOX_PORT: String(port) });
    const found = await examineStripe();
    expect(found).toContainEqual(fine("Webhook endpoint", "built into the local Stripe"));
    expect(found).toContainEqual(fine("Portal configuration", "the local Stripe's own"));
    expect(found.map(({ what }) => what)).not.toContain("Webhook secret");
  });

  it("ignores products of another account, as after a change to live mode", async () => {
    await insertStripePrice({
      id: "price_ofTestMode",
      productId: "prod_ofTestMode",
      unitAmount: 999,
      currency: "usd",
      interval: "month",
      intervalCount: 1,
    });
    expect(await findings("Product")).toEqual([fine("Product", await productOnSale())]);
    await forbid("GET /v1/products/");
    expect(await findings("Product")).toEqual([
      wrong("Product", expect.stringMatching(/^could not be checked: /), "givePermission"),
    ]);
  });

  it("names each undelivered event once, of any type", async () => {
    const { stripeSubscriptionId } = (await findProfile(member.id)) ?? {};
    await site.account.control(`subscriptions/${stripeSubscriptionId}/dispute`);
    const { data } = await site.account.stripe.disputes.list();
    await site.account.control(`disputes/${data[0]?.id}/close`, { won: true });
    const events = await undeliveredEvents();
    expect(events.map(({ type }) => type)).toContain("charge.dispute.closed");
    inTenMinutes();
    const [finding] = await findings("Delivery of events");
    const [count, ids = ""] = finding?.found.split(" did not arrive: ") ?? [];
    expect(ids.split(", ").sort()).toEqual(events.map(({ id }) => id).sort());
    expect(count).toBe(String(events.length));
  });
});

describe("a finding of stripe doctor about an endpoint", () => {
  const webhookFindings = async () =>
    (await examineStripe()).filter(({ what }) => what.startsWith("Webhook"));

  it("that is disabled and sends other events does not mention its secret", async () => {
    const { id } = await onlyEndpoint();
    const change = { disabled: true, enabled_events: ["invoice.paid" as const] };
    await site.account.stripe.webhookEndpoints.update(id, change);
    site.restart({ STRIPE_WEBHOOK_SECRET: "whsec_wrong" });
    const found = `${id}; disabled; doesn't send exactly the events that are handled`;
    expect(await webhookFindings()).toEqual([wrong("Webhook endpoint", found, "setUp")]);
  });

  it("beside another says that events arrive twice, and that setup disables the other", async () => {
    const { id } = await onlyEndpoint();
    const other = await addEndpoint();
    const found = `${id}; every event is delivered several times, also by ${other.id}`;
    expect(await webhookFindings()).toEqual([
      wrong("Webhook endpoint", found, "setUp"),
      fine("Webhook secret", "the endpoint's"),
    ]);
  });
});

describe("the settings that doctor checks", () => {
  const settings = async (hasDatabase: boolean) =>
    (await checkPayments(hasDatabase))
      .map(({ what, level }) => (level === "ok" ? what : level))
      .join(", ");

  it("are those that do not concern single members", async () => {
    const few = "key, publishable key, price";
    expect(await settings(false)).toBe(few);
    expect(await settings(true)).toBe(
      `${few}, site, webhook endpoint, webhook secret, portal configuration, delivery of events, last events, product`,
    );
  });

  it("are only the key if Stripe rejects it; the key is not quoted", async () => {
    site.restart({ STRIPE_SECRET_KEY: "sk_test_revoked" });
    expect(await checkPayments(true)).toEqual([
      wrong("key", "Stripe doesn't accept it", "checkKey"),
    ]);
  });
});

describe("events that Stripe could not deliver", () => {
  const reported = (lines: LogLine[]) =>
    lines.filter(({ level }) => level === "error" || level === "warn");

  it("are processed, and a failed one is retried", async () => {
    const [newest, ...others] = await undeliveredEvents();
    await forbid("GET /v1/subscriptions", 1);
    const lines = watchLog();
    expect(await processUndeliveredEvents()).toBe(others.length);
    expect(reported(lines)).toEqual([
      {
        level: "error",
        message: "an undelivered event failed",
        facts: { event: newest?.id, type: newest?.type, err: expect.any(Error) },
      },
      {
        level: "warn",
        message: "processed events that Stripe could not deliver: 'stripe doctor' says why",
        facts: { worked: others.length },
      },
    ]);
    expect(await processUndeliveredEvents()).toBe(1);
    lines.length = 0;
    expect(await processUndeliveredEvents()).toBe(0);
    expect(reported(lines)).toEqual([]);
  });

  it("are processed after everything that a payment or a visitor waits for", async () => {
    // its calls have a webhook's priority
    await premiumProducts();
    const calls = (purpose: string) =>
      metricValue("stripe_calls_total", { purpose, outcome: "answered" });
    const before = { webhook: await calls("webhook"), background: await calls("background") };
    expect(await processUndeliveredEvents()).toBeGreaterThan(0);
    expect(await calls("webhook")).toBe(before.webhook);
    expect(await calls("background")).toBeGreaterThan(before.background + 2);
  });

  it("are tried a limited number at a time, whether or not they fail", async () => {
    const events = await undeliveredEvents();
    const run = () => processUndeliveredEvents(new Date(), { processed: 1, read: 100 });
    await forbid("GET /v1/subscriptions");
    const lines = watchLog();
    expect(await run()).toBe(0);
    expect(reported(lines)).toHaveLength(1);
    await site.account.control("faults/clear");
    for (const _event of events) expect(await run()).toBe(1);
    expect(await run()).toBe(0);
  });

  it("are processed for three days, as long as Stripe itself retries", async () => {
    const inHours = (hours: number) =>
      processUndeliveredEvents(new Date(Date.now() + hours * HOUR));
    expect(await inHours(73)).toBe(0);
    expect(await inHours(71)).toBe((await undeliveredEvents()).length);
  });
});

/** A site that has moved is tested in tests/integration/several-sites.test.ts, because it has a live key. */
type Advice = Exclude<keyof typeof STRIPE_ADVICE, "moved">;
type Scene = { breaks: () => Promise<unknown>; follow: () => Promise<unknown> };

/** Returns the doctor's finding that leads to this advice. */
const foundWith = async (advice: Advice) =>
  (await problemsFound()).find((one) => one.advice === STRIPE_ADVICE[advice])?.found ?? "";
const subscriptionIn = (found: string) => /sub_\w+/.exec(found)?.[0] ?? "";
const cancel = (id: string) => site.account.stripe.subscriptions.cancel(id);
/** For each piece of advice, a problem that leads to it, and an author's steps to follow it. */
const SCENES = {
  tryAgain: {
    breaks: () => forbid("GET /v1/prices", 0, 500),
    follow: () => site.account.control("faults/clear"),
  },
  givePermission: {
    breaks: () => forbid("GET /v1/webhook"),
    follow: () => site.account.control("faults/clear"),
  },
  checkKey: {
    breaks: async () => site.restart({ STRIPE_PRICE_ID: "price_ofAnotherAccount" }),
    follow: () => site.setUp(),
  },
  setUp: {
    breaks: async () => {
      await site.account.stripe.billingPortal.configurations.update(await onlyConfiguration(), {
        default_return_url: "https://elsewhere.example/",
        features: { subscription_cancel: { enabled: false } },
      });
    },
    follow: () => setUpStripe(),
  },
  setUpAndSet: {
    breaks: () => site.account.stripe.prices.update(priceOnSale(), { active: false }),
    follow: () => site.setUp(),
  },
  unarchive: {
    breaks: async () =>
      site.account.stripe.products.update(await productOnSale(), { active: false }),
    follow: () => site.setUp({ unarchive: true }),
  },
  replaceEndpoint: {
    breaks: async () => {
      await site.account.stripe.webhookEndpoints.del((await onlyEndpoint()).id);
      const { secret } = await addEndpoint("2024-06-20");
      site.restart({ STRIPE_WEBHOOK_SECRET: secret ?? "" });
    },
    follow: async () => {
      await site.setUp();
      await setUpStripe();
    },
  },
  replaceSecret: {
    breaks: async () => site.restart({ STRIPE_WEBHOOK_SECRET: "whsec_wrong" }),
    follow: async () => {
      await site.setUp({ newWebhookSecret: true });
      await setUpStripe();
    },
  },
  markProduct: {
    breaks: async () => {
      await site.account.stripe.products.update(await productOnSale(), { metadata: { app: "" } });
      site.restart({ STRIPE_PRICE_ID: (await coaching()).id });
    },
    follow: async () => {
      const id = (await foundWith("markProduct")).split(" ")[0] ?? "";
      await site.account.stripe.products.update(id, { metadata: { app: "the-golden-path" } });
      site.restart();
    },
  },
  nameDomain: {
    breaks: async () => {
      await site.account.control("settings", { customDomain: "https://pay.book.example" });
      await startCheckout(await newReader(), priceOnSale());
    },
    follow: async () => site.restart({ STRIPE_CUSTOM_DOMAIN: "pay.book.example" }),
  },
  switchMethodOff: {
    breaks: async () => {
      await site.account.control("settings", { offersCashApp: "true" });
      await startCheckout(await newReader(), priceOnSale());
    },
    follow: async () => {
      await site.account.control("settings", { offersCashApp: "false" });
      await startCheckout(await newReader(), priceOnSale());
    },
  },
  processEvents: {
    breaks: async () => inTenMinutes(),
    follow: () => processUndeliveredEvents(),
  },
  syncAll: {
    breaks: async () => updateProfile(member.id, { stripePriceId: null }),
    follow: () => reconcileAll(),
  },
  adopt: {
    breaks: () => unlinkCustomer(member.id),
    follow: () => reconcileFromStripe(),
  },
  unlinkUnknown: {
    breaks: async () => {
      const { id } = await newReader();
      await updateProfile(id, { stripeCustomerId: "cus_ofTestMode", stripePriceId: "price_1" });
    },
    follow: () => reconcileAll({ unlinkUnknown: true }),
  },
  adoptSite: {
    breaks: () => adoptSite(crypto.randomUUID()),
    follow: async () =>
      adoptSite(/sold by site (\S+):/.exec(await foundWith("adoptSite"))?.[1] ?? ""),
  },
  cancelOrphan: {
    breaks: async () => deleteUser((await newMember(site)).id),
    follow: async () => cancel(subscriptionIn(await foundWith("cancelOrphan"))),
  },
  cancelSurplus: {
    breaks: async () => {
      await subscribe(await customerOf(member), priceOnSale());
      await syncReader(member);
    },
    follow: async () => {
      const { data } = await site.account.stripe.subscriptions.list({
        customer: await customerOf(member),
      });
      const { stripeSubscriptionId: counted } = (await findProfile(member.id)) ?? {};
      const surplus = data.find(({ id }) => id !== counted);
      await cancel(surplus?.id ?? "");
      await syncReader(member);
    },
  },
  cancelRefunded: {
    breaks: async () => {
      const refunded = await newMember(site);
      const customer = await customerOf(refunded);
      const { data } = await site.account.stripe.charges.list({ customer });
      await site.account.stripe.refunds.create({ charge: data[0]?.id });
      await syncReader(refunded);
    },
    follow: async () => {
      await cancel(subscriptionIn(await foundWith("cancelRefunded")));
      await reconcileAll();
    },
  },
} satisfies Record<Advice, Scene>;

describe("the advice of stripe doctor", () => {
  it.each(Object.keys(SCENES) as Advice[])(
    "is given, solves the problem when followed, and costs no member access: %s",
    async (advice) => {
      const scene: Scene = SCENES[advice];
      await scene.breaks();
      expect((await problemsFound()).map(({ advice: given }) => given)).toContain(
        STRIPE_ADVICE[advice],
      );
      await scene.follow();
      expect(await problemsFound()).toEqual([]);
      expect(await hasAccess(member)).toBe(true);
    },
  );
});
