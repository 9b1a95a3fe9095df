import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  customerState,
  fetchBilling,
  UnknownCustomer,
} from "~/features/billing/customer-billing.server";
import { NO_MEMBERSHIP } from "~/features/billing/subscription-state";
import { type RecordingStripe, startRecordingStripe } from "../support/recording-stripe";
import { openTestSite, type TestSite } from "../support/site";

let site: TestSite;
let stripe: RecordingStripe;
beforeAll(async () => {
  site = await openTestSite();
  stripe = await startRecordingStripe({
    STRIPE_PRICE_ID: "price_1",
    STRIPE_WEBHOOK_SECRET: "whsec_0123456789abcdef",
  });
});
afterAll(async () => {
  stripe.close();
  await site.close();
});

const SUBSCRIPTIONS = "GET /v1/subscriptions";
const CHARGES = "GET /v1/charges";
const CUSTOMER = "GET /v1/customers/cus_1";
const MISSING = { type: "invalid_request_error", code: "resource_missing" };
const HERE = { status: 200, fields: { id: "cus_1" } };
const DELETED = { status: 200, fields: { id: "cus_1", deleted: true } };
const UNKNOWN = { status: 404, error: { ...MISSING, param: "id" } };
const FAILED = { status: 500, error: { type: "api_error", message: "later" } };
const WITHOUT_CUSTOMER = { status: 400, error: { ...MISSING, param: "customer" } };

const DAY = 24 * 60 * 60;
const now = Math.floor(Date.now() / 1_000);

const list = (...data: object[]) => ({
  status: 200,
  fields: { object: "list", data, has_more: false },
});
const priceNamed = (id: string) => ({
  id,
  product: "prod_1",
  unit_amount: 999,
  currency: "usd",
  recurring: { interval: "month", interval_count: 1 },
});

type SubscriptionFields = { id?: string; status?: string; price?: string; endsIn?: number };

const subscription = (
  latest_invoice: unknown,
  { id = "sub_1", status = "active", price = "price_1", endsIn = 20 }: SubscriptionFields = {},
) => {
  const current_period_end = now + endsIn * DAY;
  const item = {
    id: `si_${id}`,
    price: priceNamed(price),
    current_period_start: current_period_end - 30 * DAY,
    current_period_end,
  };
  return {
    id,
    customer: "cus_1",
    created: now - 10 * DAY,
    status,
    latest_invoice,
    items: { data: [item] },
  };
};

const lineUntil = (endsIn: number) => ({
  amount: 999,
  period: { start: now - 10 * DAY, end: now + endsIn * DAY },
  pricing: { price_details: { product: "prod_1" } },
});

/** A paid invoice for a period that ends in so many days. */
const invoice = (id: string, endsIn = 20, has_more = false) => ({
  id,
  status: "paid",
  status_transitions: { paid_at: now - 10 * DAY },
  lines: { object: "list", data: [lineUntil(endsIn)], has_more },
  payments: {
    data: [{ status: "paid", payment: { type: "payment_intent", payment_intent: `pi_${id}` } }],
  },
});

const charge = (fields: object) => ({
  id: "ch_1",
  status: "succeeded",
  amount: 999,
  amount_refunded: 0,
  currency: "usd",
  refunded: false,
  disputed: false,
  payment_intent: null,
  payment_method: "pm_1",
  ...fields,
});

beforeEach(() => {
  stripe.reset();
  stripe.answers = {
    "GET /v1/prices/price_1": { status: 200, fields: priceNamed("price_1") },
    "GET /v1/products": list({ id: "prod_1", metadata: {} }),
    [SUBSCRIPTIONS]: list(),
    [CHARGES]: list(),
  };
});

/** The paths of the calls made, without what lists the products. */
const paths = () =>
  stripe.calls
    .map((call) => call.split("?")[0] ?? "")
    .filter((call) => !/products|prices/.test(call))
    .sort();

/** Of two lists that are asked for at once, one may still be on its way when the other has failed. */
const untilBothWereAsked = () =>
  expect.poll(paths).toEqual(expect.arrayContaining([CHARGES, SUBSCRIPTIONS]));

const onlyMembership = async () => {
  const { memberships } = await fetchBilling("cus_1");
  expect(memberships).toHaveLength(1);
  return memberships[0];
};

describe("a customer that Stripe's lists do not find", () => {
  afterEach(untilBothWereAsked);
  beforeEach(() => {
    stripe.answers[SUBSCRIPTIONS] = WITHOUT_CUSTOMER;
  });

  it("has no membership if it was deleted", async () => {
    stripe.answers[CUSTOMER] = DELETED;
    expect(await fetchBilling("cus_1")).toEqual({
      state: NO_MEMBERSHIP,
      memberships: [],
      price: null,
      failedPaymentMethods: new Set(),
      isPaymentPending: false,
    });
  });

  it("is an error that names the setting if Stripe never had it", async () => {
    stripe.answers[CUSTOMER] = UNKNOWN;
    const failure = fetchBilling("cus_1");
    await expect(failure).rejects.toThrow(UnknownCustomer);
    await expect(failure).rejects.toMatchObject({
      name: "UnknownCustomer",
      stripeCustomerId: "cus_1",
      message: expect.stringContaining("STRIPE_SECRET_KEY"),
    });
  });

  it("is the lists' error if it is there after all", async () => {
    stripe.answers[CUSTOMER] = HERE;
    await expect(fetchBilling("cus_1")).rejects.toMatchObject({ param: "customer" });
  });

  it("is the look-up's error if that fails", async () => {
    stripe.answers[CUSTOMER] = FAILED;
    await expect(fetchBilling("cus_1")).rejects.toMatchObject({ statusCode: 500 });
  });
});

describe("the lists of a customer", () => {
  it.each([
    ["an error of Stripe's", FAILED],
    ["a missing object that is not the customer", UNKNOWN],
  ])("fail with %s, without looking the customer up", async (_name, answer) => {
    stripe.answers[SUBSCRIPTIONS] = answer;
    await expect(fetchBilling("cus_1")).rejects.toMatchObject({ statusCode: answer.status });
    await untilBothWereAsked();
    expect(paths()).not.toContain(CUSTOMER);
  });

  it("ask for both at once, as much per page as Stripe has", async () => {
    await fetchBilling("cus_1");
    expect(paths()).toEqual([CHARGES, SUBSCRIPTIONS]);
    const lists = stripe.calls.filter((call) => /subscriptions|charges/.test(call));
    for (const call of lists) expect(call).toMatch(/[?&]limit=100(&|$)/);
    expect(lists.join()).toContain("status=all");
    expect(lists.map(decodeURIComponent).join()).toContain("expand[0]=data.refunds");
  });
});

describe("the state of a customer at Stripe", () => {
  it.each([
    ["there", HERE],
    ["deleted", DELETED],
    ["unknown", UNKNOWN],
  ] as const)("is %s", async (state, answer) => {
    stripe.answers[CUSTOMER] = answer;
    expect(await customerState("cus_1")).toBe(state);
  });
});

describe("failed payments of a customer", () => {
  it("name the methods that were tried, where there was one", async () => {
    stripe.answers[CHARGES] = list(
      charge({ id: "ch_1", status: "failed", payment_method: "pm_declined" }),
      charge({ id: "ch_2", status: "failed", payment_method: null }),
      charge({ id: "ch_3", status: "succeeded", payment_method: "pm_good" }),
    );
    const { failedPaymentMethods, isPaymentPending } = await fetchBilling("cus_1");
    expect([...failedPaymentMethods]).toEqual(["pm_declined"]);
    expect(isPaymentPending).toBe(false);
  });

  it("are not those that are pending", async () => {
    stripe.answers[CHARGES] = list(charge({ status: "pending" }), charge({ id: "ch_2" }));
    const { failedPaymentMethods, isPaymentPending } = await fetchBilling("cus_1");
    expect([...failedPaymentMethods]).toEqual([]);
    expect(isPaymentPending).toBe(true);
  });
});

describe("an ended membership", () => {
  const ended = (latest: unknown) => subscription(latest, { status: "canceled" });

  it("is read from its last invoice alone", async () => {
    stripe.answers[SUBSCRIPTIONS] = list(ended(invoice("in_1")));
    expect(await onlyMembership()).toMatchObject({
      disputes: [],
      invoices: [{ id: "in_1" }],
      refund: null,
      coverage: { paidUntil: null, withdrawn: null },
    });
    expect(paths()).toEqual([CHARGES, SUBSCRIPTIONS]);
  });

  it("shows the refund of that", async () => {
    const refunds = { data: [{ created: now - DAY }] };
    const refunded = { refunded: true, amount_refunded: 999, payment_intent: "pi_in_1", refunds };
    stripe.answers[SUBSCRIPTIONS] = list(ended(invoice("in_1")));
    stripe.answers[CHARGES] = list(charge(refunded));
    expect(await onlyMembership()).toMatchObject({
      refund: { chargeId: "ch_1", amount: 999, currency: "usd" },
      coverage: { paidUntil: null, withdrawn: null },
    });
  });

  it.each([
    ["none", null],
    ["only the id of one", "in_1"],
  ])("has no invoices if Stripe returns %s", async (_name, latest) => {
    stripe.answers[SUBSCRIPTIONS] = list(ended(latest));
    expect(await onlyMembership()).toMatchObject({ invoices: [], refund: null });
  });
});

describe("a live membership", () => {
  it("whose newest invoice pays its period needs no other", async () => {
    stripe.answers[SUBSCRIPTIONS] = list(subscription(invoice("in_1")));
    stripe.answers[CHARGES] = list(charge({ payment_intent: "pi_in_1" }));
    expect(await onlyMembership()).toMatchObject({
      invoices: [{ id: "in_1" }],
      coverage: { paidUntil: now + 20 * DAY, withdrawn: null },
    });
    expect(paths()).toEqual([CHARGES, SUBSCRIPTIONS]);
  });

  it("that is past due is read from all of them, whatever the newest says", async () => {
    stripe.answers[SUBSCRIPTIONS] = list(subscription(invoice("in_1"), { status: "past_due" }));
    stripe.answers["GET /v1/invoices"] = list(invoice("in_1"), invoice("in_2"));
    expect(await onlyMembership()).toMatchObject({ invoices: [{ id: "in_1" }, { id: "in_2" }] });
  });

  it("is asked for the disputes of its disputed payments alone", async () => {
    stripe.answers[SUBSCRIPTIONS] = list(subscription(invoice("in_2")));
    stripe.answers[CHARGES] = list(
      charge({ id: "ch_1", payment_intent: "pi_in_1", disputed: true }),
      charge({ id: "ch_2", payment_intent: "pi_in_2" }),
    );
    stripe.answers["GET /v1/invoices"] = list(invoice("in_1"), invoice("in_2"));
    const dispute = { id: "dp_1", status: "needs_response", charge: "ch_1", created: now };
    stripe.answers["GET /v1/disputes"] = list(dispute);
    expect(await onlyMembership()).toMatchObject({
      disputes: [{ dispute, chargeId: "ch_1" }],
      coverage: { withdrawn: "dispute" },
    });
    expect(stripe.calls.filter((call) => call.includes("disputes"))).toEqual([
      "GET /v1/disputes?charge=ch_1&limit=100",
    ]);
  });

  it.each([
    ["nothing of its newest invoice", null],
    ["only the id of its newest invoice", "in_1"],
  ])("of which Stripe returns %s is read from all of them", async (_name, latest) => {
    stripe.answers[SUBSCRIPTIONS] = list(subscription(latest));
    stripe.answers["GET /v1/invoices"] = list(invoice("in_2"));
    expect(await onlyMembership()).toMatchObject({ invoices: [{ id: "in_2" }] });
  });

  it("that gives no access and has no invoice needs none", async () => {
    stripe.answers[SUBSCRIPTIONS] = list(subscription(null, { status: "incomplete" }));
    expect(await onlyMembership()).toMatchObject({ invoices: [] });
    expect(paths()).toEqual([CHARGES, SUBSCRIPTIONS]);
  });

  it("is paid by a line that Stripe leaves out of the invoice", async () => {
    stripe.answers[SUBSCRIPTIONS] = list(subscription(invoice("in_1", -10, true)));
    stripe.answers["GET /v1/invoices/in_1/lines"] = list(lineUntil(-10), lineUntil(20));
    const membership = await onlyMembership();
    expect(membership?.coverage.paidUntil).toBe(now + 20 * DAY);
    expect(membership?.invoices[0]?.lines).toMatchObject({ has_more: false });
    expect(stripe.calls).toContainEqual("GET /v1/invoices/in_1/lines?limit=100");
  });

  it("that lasts longest of several gives the price", async () => {
    stripe.answers[SUBSCRIPTIONS] = list(
      subscription(invoice("in_1", 5), { id: "sub_1", endsIn: 5, price: "price_old" }),
      subscription(invoice("in_2", 25), { id: "sub_2", endsIn: 25 }),
    );
    const { state, price } = await fetchBilling("cus_1");
    expect(state.stripeSubscriptionId).toBe("sub_2");
    expect(price).toEqual({
      id: "price_1",
      productId: "prod_1",
      unitAmount: 999,
      currency: "usd",
      interval: "month",
      intervalCount: 1,
    });
  });
});
