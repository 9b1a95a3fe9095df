import type Stripe from "stripe";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { doctor } from "~/commands/stripe-commands.server";
import { setEnvironment } from "~/env.server";
import { startCheckout } from "~/features/billing/checkout.server";
import { ADVICE, type Advice } from "~/features/billing/doctor-finding";
import { reconcileAll } from "~/features/billing/reconcile.server";
import { reconcileFromStripe } from "~/features/billing/reconcile-from-stripe.server";
import { apiVersion, findWebhookEndpoints } from "~/features/billing/setup-webhook.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { examineStripe } from "~/features/billing/stripe-doctor.server";
import { setUpStripe } from "~/features/billing/stripe-setup.server";
import { processUndeliveredEvents } from "~/features/billing/undelivered-events.server";
import { unlinkCustomer } from "~/features/billing/unlink-customer.server";
import { WEBHOOK_EVENTS } from "~/features/billing/webhook.server";
import { findProfile, updateProfile } from "~db/queries/profiles";
import { insertWebhookEvent } from "~db/queries/webhook-events";
import { deleteUser } from "../support/delete-user";
import { newReader, type Reader } from "../support/payments";
import { openTestSite, type TestSite } from "../support/site";
import {
  type AuthorsSite,
  buy,
  customerOf,
  hasAccess,
  newMember,
  openAuthorsSite,
  problemsFound,
  syncReader,
} from "../support/stripe-account";

let database: TestSite;
beforeAll(async () => {
  database = await openTestSite();
});
afterAll(() => database.close());

let site: AuthorsSite;
let member: Reader;
beforeEach(async () => {
  site = await openAuthorsSite();
  member = await newMember(site);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  setEnvironment({});
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

const found = async () => (await problemsFound()).map(({ what, found }) => `${what}: ${found}`);

describe("stripe doctor", () => {
  it("finds no problem after setup", async () => {
    expect(await problemsFound()).toEqual([]);
  });

  it("changes nothing", async () => {
    await buy(site.account, await newReader(), site.variables.STRIPE_PRICE_ID ?? "");
    await updateProfile(member.id, { stripePriceId: null });
    const before = await findProfile(member.id);
    await examineStripe();
    expect(await findProfile(member.id)).toEqual(before);
  });

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

  it("reports a webhook secret that is not the endpoint's", async () => {
    site.restart({ STRIPE_WEBHOOK_SECRET: "whsec_wrong" });
    expect(await found()).toEqual([
      expect.stringMatching(/^Webhook secret: STRIPE_WEBHOOK_SECRET is not the one of we_/),
    ]);
    expect(JSON.stringify(await problemsFound())).not.toContain("whsec_");
  });

  it.each([
    ["is disabled", { disabled: true }, /; disabled/],
    ["sends other events", { enabled_events: ["invoice.paid" as const] }, /other events/],
  ])("reports an endpoint that %s", async (_case, change, problem) => {
    await site.account.stripe.webhookEndpoints.update((await onlyEndpoint()).id, change);
    expect(await found()).toEqual([expect.stringMatching(problem)]);
  });

  it("reports an endpoint of an old API version", async () => {
    await site.account.stripe.webhookEndpoints.del((await onlyEndpoint()).id);
    await site.account.stripe.webhookEndpoints.create({
      url: "https://book.example/webhooks/stripe",
      enabled_events: [...WEBHOOK_EVENTS],
      api_version: "2024-06-20",
    });
    expect(await found()).toEqual([expect.stringContaining(`2024-06-20, not ${apiVersion()}`)]);
  });

  it("expects no endpoint where Stripe cannot reach the site", async () => {
    site.restart({ PUBLIC_URL: "http://localhost:3000" });
    expect((await problemsFound()).map(({ what }) => what)).toEqual(["Portal configuration"]);
  });

  it("reports a portal that returns to another address", async () => {
    site.restart({ PUBLIC_URL: "https://book.example:8443" });
    expect(await found()).toContainEqual(
      expect.stringMatching(/^Portal configuration: .*returns to https:\/\/book.example\/billing/),
    );
  });

  it("reports a check that failed because Stripe did not answer, and continues", async () => {
    await site.account.control("faults", {
      kind: "error",
      status: 500,
      times: 0,
      match: "GET /v1/prices",
    });
    const findings = await examineStripe();
    await site.account.control("faults/clear");
    expect(findings.filter(({ ok }) => !ok).map(({ advice }) => advice)).toContain("tryAgain");
    expect(findings.some(({ what, ok }) => what === "Portal configuration" && ok)).toBe(true);
  });

  it("resumes after a member, and reports progress", async () => {
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
  });

  it("accepts only an account id to resume after", async () => {
    await expect(doctor({ after: "reader@example.com" })).rejects.toThrow("--after: wanted the id");
  });

  it("checks several members concurrently", async () => {
    for (let count = 0; count < 9; count++) await newMember(site);
    let [concurrency, peak] = [0, 0];
    const { charges } = stripeClient();
    const list = charges.list.bind(charges);
    vi.spyOn(charges, "list").mockImplementation((parameters) => {
      peak = Math.max(peak, ++concurrency);
      setTimeout(() => concurrency--, 20);
      return list(parameters);
    });
    await examineStripe();
    expect(peak).toBeGreaterThan(5);
  });

  it("reports a disputed membership that is still charged", async () => {
    const { stripeSubscriptionId } = (await findProfile(member.id)) ?? {};
    await site.account.control(`subscriptions/${stripeSubscriptionId}/dispute`);
    const problems = await problemsFound();
    expect(problems.map(({ what, advice }) => [what, advice])).toContainEqual([
      `Member ${member.id}`,
      "syncAll",
    ]);
    await reconcileAll();
    await reconcileAll();
    expect(await problemsFound()).toEqual([]);
  });

  it("reports events that did not arrive, once they can no longer be on their way", async () => {
    expect(await problemsFound()).toEqual([]);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10 * 60_000 });
    expect(await found()).toEqual([
      expect.stringMatching(/^Delivery of events: \d+ did not arrive: evt_/),
    ]);
  });

  it("does not report events that only another endpoint of the account missed", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10 * 60_000 });
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

type Scene = { breaks: () => Promise<unknown>; follow: () => Promise<unknown> };

const cancel = (id: string) => site.account.stripe.subscriptions.cancel(id);
/** For each piece of advice, a problem for which the doctor gives it, and what an author does to follow it. */
const SCENES = {
  tryAgain: {
    breaks: () =>
      site.account.control("faults", {
        kind: "error",
        status: 500,
        times: 0,
        match: "GET /v1/prices",
      }),
    follow: () => site.account.control("faults/clear"),
  },
  givePermission: {
    breaks: () =>
      site.account.control("faults", {
        kind: "error",
        status: 403,
        times: 0,
        match: "GET /v1/webhook",
      }),
    follow: () => site.account.control("faults/clear"),
  },
  checkKey: {
    breaks: async () => site.restart({ STRIPE_PRICE_ID: "price_ofAnotherAccount" }),
    follow: () => site.setUp(),
  },
  setUp: {
    breaks: async () => {
      const { data } = await site.account.stripe.billingPortal.configurations.list({
        is_default: false,
      });
      await site.account.stripe.billingPortal.configurations.update(data[0]?.id ?? "", {
        default_return_url: "https://elsewhere.example/",
        features: { subscription_cancel: { enabled: false } },
      });
    },
    follow: () => setUpStripe(),
  },
  setUpAndSet: {
    breaks: () =>
      site.account.stripe.prices.update(site.variables.STRIPE_PRICE_ID ?? "", { active: false }),
    follow: () => site.setUp(),
  },
  replaceEndpoint: {
    breaks: async () => {
      await site.account.stripe.webhookEndpoints.del((await onlyEndpoint()).id);
      const { secret } = await site.account.stripe.webhookEndpoints.create({
        url: "https://book.example/webhooks/stripe",
        enabled_events: [...WEBHOOK_EVENTS],
        api_version: "2024-06-20",
      });
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
      const { product } = await stripeClient().prices.retrieve(
        site.variables.STRIPE_PRICE_ID ?? "",
      );
      await site.account.stripe.products.update(String(product), { metadata: { app: "" } });
      site.restart({ STRIPE_PRICE_ID: (await coaching()).id });
    },
    follow: async () => {
      const former = (await site.account.stripe.products.list({ limit: 100 })).data.find(
        ({ name }) => name === "The Golden Path Premium",
      );
      const id = (await problemsFound())
        .find(({ advice }) => advice === "markProduct")
        ?.found.split(" ")[0];
      expect(former).toBeDefined();
      await site.account.stripe.products.update(id ?? "", { metadata: { app: "the-golden-path" } });
      site.restart();
    },
  },
  nameDomain: {
    breaks: async () => {
      await site.account.control("settings", { customDomain: "https://pay.book.example" });
      await startCheckout(await newReader(), site.variables.STRIPE_PRICE_ID);
    },
    follow: async () => site.restart({ STRIPE_CUSTOM_DOMAIN: "pay.book.example" }),
  },
  processEvents: {
    breaks: async () => {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10 * 60_000 });
    },
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
  cancelOrphan: {
    breaks: async () => deleteUser((await newMember(site)).id),
    follow: async () => {
      const [finding] = await problemsFound();
      await cancel(/sub_\w+/.exec(finding?.found ?? "")?.[0] ?? "");
    },
  },
  cancelSurplus: {
    breaks: async () =>
      subscribe(await customerOf(member), site.variables.STRIPE_PRICE_ID).then(() =>
        syncReader(member),
      ),
    follow: async () => {
      const { data } = await site.account.stripe.subscriptions.list({
        customer: await customerOf(member),
      });
      const surplus = data.find(({ metadata }) => !metadata.userId);
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
      const finding = (await problemsFound()).find(({ advice }) => advice === "cancelRefunded");
      await cancel(/sub_\w+/.exec(finding?.found ?? "")?.[0] ?? "");
      await reconcileAll();
    },
  },
} satisfies Record<Advice, Scene>;

describe("the advice of stripe doctor", () => {
  it("is covered completely by the scenes", () => {
    expect(Object.keys(SCENES).sort()).toEqual(Object.keys(ADVICE).sort());
  });

  it.each(Object.keys(SCENES) as Advice[])(
    "is given, solves the problem when followed, and costs no member access: %s",
    async (advice) => {
      const scene: Scene = SCENES[advice];
      await scene.breaks();
      expect((await problemsFound()).map(({ advice: given }) => given)).toContain(advice);
      await scene.follow();
      expect(await problemsFound()).toEqual([]);
      expect(await hasAccess(member)).toBe(true);
    },
  );
});
