import Stripe from "stripe";
import { describe, expect, test } from "vitest";
import {
  openCheckout,
  openSandbox,
  SANDBOX_KEY,
  SANDBOX_PRICE,
  subscribe,
  type TestSandbox,
} from "../../support/stripe-sandbox";

const DAY = 86_400;

/** The error with which Stripe rejects a call. */
async function rejection(call: Promise<unknown>): Promise<Partial<Stripe.errors.StripeError>> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) {
      const { type, code, param, statusCode, message } = error;
      return { type, code, param, statusCode, message };
    }
    throw error;
  }
  throw new Error("The call was not rejected.");
}

function send(
  { origin }: TestSandbox,
  path: string,
  init: RequestInit = {},
): Promise<globalThis.Response> {
  const headers = new Headers({ Authorization: `Bearer ${SANDBOX_KEY}` });
  new Headers(init.headers).forEach((value, name) => {
    headers.set(name, value);
  });
  return fetch(`${origin}${path}`, { redirect: "manual", ...init, headers });
}

describe("customers", () => {
  test("are created, retrieved and listed", async () => {
    const { stripe } = await openSandbox();
    const created = await stripe.customers.create({
      email: "reader@example.com",
      name: "A Reader",
      metadata: { userId: "42", note: "first" },
    });
    expect(created).toMatchObject({
      object: "customer",
      email: "reader@example.com",
      metadata: { userId: "42", note: "first" },
      livemode: false,
    });
    expect(await stripe.customers.retrieve(created.id)).toEqual(created);
    const found = await stripe.customers.list({ email: "reader@example.com" });
    expect(found.data.map(({ id }) => id)).toEqual([created.id]);
    expect((await stripe.customers.list({ email: "nobody@example.com" })).data).toEqual([]);
  });

  test("remain as deleted, without subscriptions, and cannot check out", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { customer, subscription } = await subscribe(sandbox);
    await sandbox.control(`customers/${customer}/delete`);
    expect(await stripe.customers.retrieve(customer)).toEqual({
      id: customer,
      object: "customer",
      deleted: true,
    });
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe("canceled");
    expect((await stripe.customers.list()).data).toEqual([]);
    expect(await rejection(openCheckout(sandbox, customer))).toMatchObject({
      code: "resource_missing",
      param: "customer",
      statusCode: 400,
    });
  });
});

describe("checkout sessions", () => {
  test("are open for 24 hours, with an address to pay at", async () => {
    const sandbox = await openSandbox();
    const session = await openCheckout(sandbox);
    expect(session).toMatchObject({
      object: "checkout.session",
      mode: "subscription",
      status: "open",
      payment_status: "unpaid",
      subscription: null,
      client_reference_id: "user-1",
      amount_total: 999,
      ui_mode: "hosted_page",
      success_url: "http://localhost:3000/checkout/success?session_id={CHECKOUT_SESSION_ID}",
    });
    expect(session.url).toBe(`http://localhost:${sandbox.port}/c/pay/${session.id}`);
    expect(session.expires_at - session.created).toBe(DAY);
    const { line_items } = await sandbox.stripe.checkout.sessions.retrieve(session.id, {
      expand: ["line_items"],
    });
    expect(line_items?.data).toMatchObject([{ quantity: 1, price: { id: SANDBOX_PRICE.id } }]);
  });

  test("expire by themselves after 24 hours of the sandbox clock", async () => {
    const sandbox = await openSandbox();
    const session = await openCheckout(sandbox);
    await sandbox.control("clock", { seconds: DAY - 60 });
    expect((await sandbox.stripe.checkout.sessions.retrieve(session.id)).status).toBe("open");
    await sandbox.control("clock", { seconds: 120 });
    expect(await sandbox.stripe.checkout.sessions.retrieve(session.id)).toMatchObject({
      status: "expired",
      url: null,
    });
  });
});

describe("subscriptions", () => {
  test("have their period on the item only", async () => {
    const sandbox = await openSandbox();
    const { subscription } = await subscribe(sandbox);
    expect(subscription).not.toHaveProperty("current_period_end");
    const [item] = subscription.items.data;
    expect(item?.price.id).toBe(SANDBOX_PRICE.id);
    const days = ((item?.current_period_end ?? 0) - (item?.current_period_start ?? 0)) / DAY;
    expect(days).toBeGreaterThanOrEqual(28);
    expect(days).toBeLessThanOrEqual(31);
  });

  test("are listed without the cancelled ones, unless all are requested", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { customer, subscription } = await subscribe(sandbox);
    const cancelled = await stripe.subscriptions.cancel(subscription.id);
    expect(cancelled).toMatchObject({ status: "canceled" });
    expect(cancelled.ended_at).not.toBeNull();
    expect((await stripe.subscriptions.list({ customer })).data).toEqual([]);
    const all = await stripe.subscriptions.list({ customer, status: "all" });
    expect(all.data.map(({ status }) => status)).toEqual(["canceled"]);
    expect(await rejection(stripe.subscriptions.cancel(subscription.id))).toMatchObject({
      code: "resource_missing",
    });
    expect(
      await rejection(stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true })),
    ).toMatchObject({ code: "invalid_canceled_subscription_fields" });
  });

  test("can be set to end with their period, and resumed before that", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { subscription } = await subscribe(sandbox);
    const ending = await stripe.subscriptions.update(subscription.id, {
      cancel_at_period_end: true,
    });
    expect(ending).toMatchObject({
      status: "active",
      cancel_at_period_end: true,
      cancel_at: subscription.items.data[0]?.current_period_end,
      cancellation_details: { reason: "cancellation_requested" },
    });
    const kept = await stripe.subscriptions.update(subscription.id, {
      cancel_at_period_end: false,
    });
    expect(kept).toMatchObject({ cancel_at: null, canceled_at: null });
    await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true });
    await sandbox.control("clock", { days: 32 });
    const ended = await stripe.subscriptions.retrieve(subscription.id);
    expect(ended.status).toBe("canceled");
    expect(ended.ended_at).toBe(subscription.items.data[0]?.current_period_end);
  });
});

describe("Stripe's responses", () => {
  test("a wrong or missing key is a 401 with Stripe's error", async () => {
    const { origin, port } = await openSandbox();
    const stranger = new Stripe("sk_test_other", { host: "127.0.0.1", port, protocol: "http" });
    expect(await rejection(stranger.customers.list())).toMatchObject({
      type: "StripeAuthenticationError",
      statusCode: 401,
    });
    const response = await fetch(`${origin}/v1/customers`);
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error" } });
  });

  test("unknown parameters are rejected by name, nested ones too", async () => {
    const sandbox = await openSandbox();
    const post = async (path: string, body: string) => {
      const response = await send(sandbox, path, {
        method: "POST",
        body,
        headers: { "Content-Type": "application/x-www-form-urlencoded" },
      });
      const { error } = (await response.json()) as { error: Record<string, string> };
      return { status: response.status, code: error.code, param: error.param };
    };
    expect(await post("/v1/customers", "mail=a%40example.com")).toEqual({
      status: 400,
      code: "parameter_unknown",
      param: "mail",
    });
    expect(await post("/v1/checkout/sessions", "line_items[0][prise]=x")).toEqual({
      status: 400,
      code: "parameter_unknown",
      param: "line_items[0][prise]",
    });
    expect(await post("/v1/products", "active=true")).toEqual({
      status: 400,
      code: "parameter_missing",
      param: "name",
    });
    expect(await post("/v1/prices", "currency=usd&unit_amount=9.99")).toMatchObject({
      code: "parameter_invalid_integer",
      param: "unit_amount",
    });
    expect(await post("/v1/billing_portal/configurations", "")).toMatchObject({
      code: "parameter_missing",
      param: "features",
    });
  });

  test("a missing object is a 404, and so is an unknown path", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    expect(await rejection(stripe.customers.retrieve("cus_none"))).toMatchObject({
      code: "resource_missing",
      param: "id",
      statusCode: 404,
      message: "No such customer: 'cus_none'",
    });
    expect(await rejection(stripe.subscriptions.retrieve("constructor"))).toMatchObject({
      statusCode: 404,
    });
    expect(await rejection(stripe.subscriptions.list({ customer: "cus_none" }))).toMatchObject({
      code: "resource_missing",
      param: "customer",
      statusCode: 400,
    });
    expect(await rejection(stripe.coupons.list())).toMatchObject({
      type: "StripeInvalidRequestError",
      statusCode: 404,
      message: expect.stringContaining("Unrecognized request URL (GET: /v1/coupons)"),
    });
    expect((await rejection(stripe.products.del("prod_none"))).message).toContain(
      "Unrecognized request URL (DELETE: /v1/products/prod_none)",
    );
    expect((await send(sandbox, "/v1/customers", { method: "PUT" })).status).toBe(404);
    expect((await send(sandbox, "/v1")).status).toBe(404);
  });

  test("lists are newest first, and paginated forwards and backwards", async () => {
    const { stripe } = await openSandbox();
    const made: string[] = [];
    for (let count = 0; count < 25; count += 1) made.push((await stripe.customers.create({})).id);
    const newestFirst = made.toReversed();
    const first = await stripe.customers.list();
    expect(first).toMatchObject({ object: "list", url: "/v1/customers", has_more: true });
    expect(first.data.map(({ id }) => id)).toEqual(newestFirst.slice(0, 10));
    const next = await stripe.customers.list({ limit: 20, starting_after: newestFirst[9] });
    expect(next.data.map(({ id }) => id)).toEqual(newestFirst.slice(10));
    expect(next.has_more).toBe(false);
    const before = await stripe.customers.list({ limit: 5, ending_before: newestFirst[10] });
    expect(before.data.map(({ id }) => id)).toEqual(newestFirst.slice(5, 10));
    expect(before.has_more).toBe(true);
    const everyone: string[] = [];
    for await (const { id } of stripe.customers.list({ limit: 4 })) everyone.push(id);
    expect(everyone).toEqual(newestFirst);
    expect(await rejection(stripe.customers.list({ limit: 101 }))).toMatchObject({
      param: "limit",
    });
    expect(await rejection(stripe.customers.list({ starting_after: "cus_none" }))).toMatchObject({
      code: "resource_missing",
      param: "starting_after",
    });
  });

  test("references are expanded, through lists and several levels", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { customer, subscription } = await subscribe(sandbox);
    const [listed] = (
      await stripe.subscriptions.list({
        customer,
        expand: ["data.customer", "data.latest_invoice.payments.data"],
      })
    ).data;
    expect(listed?.customer).toMatchObject({ object: "customer", id: customer });
    expect(listed?.latest_invoice).toMatchObject({
      object: "invoice",
      payments: { data: [{ payment: { payment_intent: expect.stringMatching(/^pi_/) } }] },
    });
    expect(
      await rejection(
        stripe.subscriptions.list({
          expand: ["data.latest_invoice.payments.data.payment.payment_intent"],
        }),
      ),
    ).toMatchObject({ statusCode: 400, message: expect.stringContaining("more than 4 levels") });
    const [invoice] = (
      await stripe.invoices.list({ expand: ["data.parent.subscription_details.subscription"] })
    ).data;
    expect(invoice?.parent?.subscription_details?.subscription).toMatchObject({
      object: "subscription",
    });
    expect(
      (await stripe.customers.retrieve(customer, { expand: ["subscriptions"] })) as object,
    ).toMatchObject({ subscriptions: { data: [{ id: subscription.id }] } });
    expect(
      await rejection(stripe.subscriptions.retrieve(subscription.id, { expand: ["start_date"] })),
    ).toMatchObject({ statusCode: 400, param: "expand" });
    expect((await stripe.subscriptions.retrieve(subscription.id)).customer).toBe(customer);
  });
});

describe("idempotency keys", () => {
  test("replay the first response, marked as a replay", async () => {
    const { stripe } = await openSandbox();
    const key = { idempotencyKey: "customer-42" };
    const first = await stripe.customers.create({ metadata: { userId: "42" } }, key);
    const again = await stripe.customers.create({ metadata: { userId: "42" } }, key);
    expect(again).toEqual(first);
    expect(first.lastResponse.headers).not.toHaveProperty("idempotent-replayed");
    expect(again.lastResponse.headers["idempotent-replayed"]).toBe("true");
    expect((await stripe.customers.list()).data).toHaveLength(1);
  });

  test("reject other parameters and other paths", async () => {
    const { stripe } = await openSandbox();
    const key = { idempotencyKey: "customer-42" };
    await stripe.customers.create({ name: "A" }, key);
    expect(await rejection(stripe.customers.create({ name: "B" }, key))).toMatchObject({
      type: "StripeIdempotencyError",
      statusCode: 400,
    });
    expect(await rejection(stripe.products.create({ name: "A" }, key))).toMatchObject({
      type: "StripeIdempotencyError",
    });
    expect((await stripe.customers.list()).data).toHaveLength(1);
  });

  test("create one object for fifty concurrent requests", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const created = await Promise.all(
      Array.from({ length: 50 }, () =>
        stripe.customers.create(
          { email: "a@example.com" },
          // those that arrive while the first is in flight get a 409 and are retried
          { idempotencyKey: "once", maxNetworkRetries: 5 },
        ),
      ),
    );
    expect(new Set(created.map(({ id }) => id)).size).toBe(1);
    expect((await stripe.customers.list()).data).toHaveLength(1);
    const log = (await (await fetch(`${sandbox.origin}/_control/requests`)).json()) as {
      counts: Record<string, number>;
      requests: { endpoint: string; replayed: boolean }[];
    };
    expect(log.counts["POST /v1/customers"]).toBeGreaterThanOrEqual(50);
    expect(log.requests.filter(({ replayed }) => replayed)).toHaveLength(49);
  });

  test("can be used again after a rejected request, and after 24 hours", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const key = { idempotencyKey: "retry-me" };
    expect(await rejection(stripe.customers.create({ email: "no address" }, key))).toMatchObject({
      code: "email_invalid",
    });
    const first = await stripe.customers.create({ email: "a@example.com" }, key);
    await sandbox.control("clock", { days: 1.01 });
    const second = await stripe.customers.create({ email: "a@example.com" }, key);
    expect(second.id).not.toBe(first.id);
  });
});

describe("faults", () => {
  test("can be a 500 before the work is done, or after it", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    await sandbox.control("faults", { kind: "error", times: 1, match: "POST /v1/customers" });
    expect((await rejection(stripe.customers.create({}))).statusCode).toBe(500);
    expect((await stripe.customers.list()).data).toEqual([]);
    await sandbox.control("faults", { kind: "error", when: "after" });
    const key = { idempotencyKey: "k" };
    expect((await rejection(stripe.customers.create({}, key))).statusCode).toBe(500);
    expect((await stripe.customers.list()).data).toHaveLength(1);
  });
});
