import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SANDBOX_STRIPE, setEnvironment } from "~/env.server";
import { withCallPurpose } from "~/features/billing/call-purpose.server";
import { startCheckout } from "~/features/billing/checkout.server";
import { listLiveMemberships } from "~/features/billing/customer-billing.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { syncCustomer } from "~/features/billing/sync-customer.server";
import { receiveWebhook } from "~/features/billing/webhook.server";
import { isSubscribed } from "~/features/membership/access";
import { registry } from "~/observability/metrics.server";
import { action as billing } from "~/routes/billing/route";
import { action as checkout } from "~/routes/checkout/route";
import { ensureProfile, findProfile, updateProfile } from "~db/queries/profiles";
import { control, newReader, type Reader } from "../../support/payments";
import { post } from "../../support/routes";
import { openTestSite, type TestSite } from "../../support/site";

const { priceId } = SANDBOX_STRIPE;

let site: TestSite;
beforeAll(async () => {
  site = await openTestSite({ payments: {} });
});
afterAll(() => site.close());

beforeEach(() => control(site.sandboxOrigin, "requests/clear"));
afterEach(async () => {
  site.restoreEnvironment();
  await control(site.sandboxOrigin, "faults/clear");
});

/** Sets the site's settings with another budget. */
function setBudget(callsPerSecond: string): void {
  setEnvironment({
    PAYMENTS: "sandbox",
    STRIPE_SANDBOX_PORT: new URL(site.sandboxOrigin).port,
    SESSION_SECRET: "a secret that signs the cookies of tests only",
    RATE_LIMIT_FACTOR: "1000",
    LOG_LEVEL: "silent",
    STRIPE_CALLS_PER_SECOND: callsPerSecond,
  });
}

/** Creates a reader with a customer at Stripe and an open checkout. */
async function newBuyer(): Promise<Reader & { customer: string; sessionId: string }> {
  const reader = await newReader();
  const outcome = await startCheckout(reader, priceId);
  if (outcome.kind !== "checkout") throw new Error(outcome.kind);
  const customer = (await findProfile(reader.id))?.stripeCustomerId ?? "";
  return { ...reader, customer, sessionId: outcome.sessionId };
}

/** Creates a reader with a customer at Stripe who has bought nothing. */
async function newCustomer(): Promise<Reader> {
  const reader = await newReader();
  const { id } = await stripeClient().customers.create({ email: reader.email });
  await ensureProfile(reader.id);
  await updateProfile(reader.id, { stripeCustomerId: id });
  return reader;
}

async function newCustomers(count: number): Promise<Reader[]> {
  const customers: Reader[] = [];
  while (customers.length < count) {
    customers.push(...(await Promise.all(Array.from({ length: 20 }, newCustomer))));
  }
  return customers;
}

type Requests = { requests: { at: number }[] };
const requests = () => control<Requests>(site.sandboxOrigin, "requests", undefined, "GET");

/** The number of queued calls to Stripe. */
async function waiting(): Promise<number> {
  const metric = await registry.getSingleMetric("stripe_call_queue_length")?.get();
  return metric?.values[0]?.value ?? -1;
}

/** A webhook about a customer: body and signature. */
function signedEvent(customer: string): [string, string] {
  const payload = JSON.stringify({
    id: `evt_calls_${process.pid}_${Date.now()}`,
    object: "event",
    created: Math.floor(Date.now() / 1000),
    livemode: false,
    type: "customer.subscription.updated",
    data: { object: { id: "sub_1", object: "subscription", customer } },
  });
  const secret = SANDBOX_STRIPE.webhookSecret;
  return [payload, stripeClient().webhooks.generateTestHeaderString({ payload, secret })];
}

const openPortal = ({ cookie }: Reader) => post(billing, { form: {}, cookie });

describe("many accounts together", () => {
  it("stay under Stripe's limit of calls per second", async () => {
    const customers = await newCustomers(180);
    await control(site.sandboxOrigin, "requests/clear");
    setBudget("80"); // the default for a live key
    await Promise.all(customers.map(openPortal));
    const times = (await requests()).requests.map(({ at }) => at);
    // more than one second's worth, even if many gave up on a busy machine
    expect(times.length).toBeGreaterThan(100);
    const busiest = Math.max(
      ...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length),
    );
    // 80 a second, and some slack for bunching on a busy machine; Stripe's own limit is 100
    expect(busiest).toBeLessThan(100);
  }, 60_000);

  it("give priority to accounts that have paid or are about to", async () => {
    const payer = await newBuyer();
    await control(site.sandboxOrigin, `sessions/${payer.sessionId}/pay`);
    const newcomer = await newReader();
    const customers = await newCustomers(80);
    setBudget("10");
    // the calls of a webhook and a checkout
    const fetchOne = async ({ id }: Reader) => {
      const profile = await findProfile(id);
      return listLiveMemberships(profile?.stripeCustomerId ?? "");
    };
    const fetches = withCallPurpose("membership", () =>
      Promise.allSettled(customers.map(fetchOne)),
    );
    await expect.poll(waiting).toBeGreaterThan(50);

    expect((await receiveWebhook(...signedEvent(payer.customer))).status).toBe(200);
    expect(isSubscribed(await findProfile(payer.id), new Date())).toBe(true);
    expect(await waiting()).toBeGreaterThan(40);
    const bought = await post(checkout, { json: { priceId }, cookie: newcomer.cookie });
    expect(bought.status).toBe(200);
    expect(await waiting()).toBeGreaterThan(20);
    await fetches;
  }, 60_000);
});

describe("a 429 from Stripe", () => {
  const tooMany = (times: number) =>
    control(site.sandboxOrigin, "faults", { kind: "error", status: 429, times });

  it("pauses all calls, and the rejected one is retried", async () => {
    const buyer = await newBuyer();
    await tooMany(1);
    const startedAt = Date.now();
    const first = syncCustomer(buyer.customer);
    const callMetric = () => registry.getSingleMetricAsString("stripe_calls_total");
    await expect.poll(callMetric, { interval: 10 }).toContain('outcome="limited"');
    await stripeClient().customers.retrieve(buyer.customer);
    expect(Date.now() - startedAt).toBeGreaterThan(900);
    expect(await first).toMatchObject({ kind: "synced" });
  });
});
