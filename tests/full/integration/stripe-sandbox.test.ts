import { request as httpRequest } from "node:http";
import { createServer } from "node:net";
import fc from "fast-check";
import Stripe from "stripe";
import { describe, expect, test } from "vitest";
import { startStripeSandbox } from "~/sandbox/stripe/server.server";
import {
  openCheckout,
  openSandbox,
  SANDBOX_KEY,
  SANDBOX_PRICE,
  SANDBOX_WEBHOOK_SECRET,
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

describe("products and prices", () => {
  test("the catalogue has the premium price with its product", async () => {
    const { stripe } = await openSandbox();
    const price = await stripe.prices.retrieve(SANDBOX_PRICE.id, { expand: ["product"] });
    expect(price).toMatchObject({
      unit_amount: 999,
      currency: "usd",
      type: "recurring",
      recurring: { interval: "month", interval_count: 1 },
      product: { id: SANDBOX_PRICE.productId, object: "product", active: true },
    });
    expect(String(price.unit_amount_decimal)).toBe("999");
  });

  test("are created by a setup and found by lookup key and product", async () => {
    const { stripe } = await openSandbox();
    const product = await stripe.products.create({ name: "Book", metadata: { app: "site" } });
    const price = await stripe.prices.create({
      product: product.id,
      currency: "usd",
      unit_amount: 999,
      recurring: { interval: "month" },
      lookup_key: "premium_monthly",
    });
    const byKey = await stripe.prices.list({ lookup_keys: ["premium_monthly"], active: true });
    expect(byKey.data.map(({ id }) => id)).toEqual([price.id]);
    const byProduct = await stripe.prices.list({ product: product.id });
    expect(byProduct.data.map(({ id }) => id)).toEqual([price.id]);
    await stripe.prices.update(price.id, { active: false });
    expect((await stripe.prices.list({ product: product.id, active: true })).data).toEqual([]);
    expect(
      await rejection(
        stripe.prices.create({
          product: product.id,
          currency: "usd",
          unit_amount: 1,
          lookup_key: "premium_monthly",
        }),
      ),
    ).toMatchObject({ code: "resource_already_exists" });
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

  test("are listed by customer and state, and have no address once expired", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const first = await openCheckout(sandbox);
    const customer = String(first.customer);
    const second = await openCheckout(sandbox, customer);
    await openCheckout(sandbox);
    const expired = await stripe.checkout.sessions.expire(first.id);
    expect(expired).toMatchObject({ status: "expired", url: null });
    const open = await stripe.checkout.sessions.list({ customer, status: "open" });
    expect(open.data.map(({ id }) => id)).toEqual([second.id]);
    const all = await stripe.checkout.sessions.list({ customer });
    expect(all.data.map(({ id }) => id)).toEqual([second.id, first.id]);
    expect((await rejection(stripe.checkout.sessions.expire(first.id))).statusCode).toBe(400);
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

  test("reject what Stripe rejects", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { id: customer } = await stripe.customers.create({});
    const sound: Stripe.Checkout.SessionCreateParams = {
      mode: "subscription",
      customer,
      line_items: [{ price: SANDBOX_PRICE.id, quantity: 1 }],
      success_url: "https://example.com/",
    };
    const refused = (change: Partial<Stripe.Checkout.SessionCreateParams>) =>
      rejection(stripe.checkout.sessions.create({ ...sound, ...change }));
    expect(await refused({ success_url: undefined })).toMatchObject({
      code: "parameter_missing",
      param: "success_url",
    });
    expect(await refused({ success_url: "checkout" })).toMatchObject({
      code: "url_invalid",
      param: "success_url",
    });
    expect(await refused({ line_items: undefined })).toMatchObject({ code: "parameter_missing" });
    expect(await refused({ line_items: [{ price: "price_none", quantity: 1 }] })).toMatchObject({
      code: "resource_missing",
      param: "line_items[0][price]",
    });
    expect(await refused({ line_items: [{ price: SANDBOX_PRICE.id }] })).toMatchObject({
      param: "line_items[0][quantity]",
    });
    expect((await refused({ customer_email: "a@example.com" })).statusCode).toBe(400);
    expect(await refused({ mode: "free" })).toMatchObject({ param: "mode" });
    expect(await refused({ discounts: [{ coupon: "x" }] })).toMatchObject({ param: "discounts" });
    expect(await refused({ expires_at: 5 })).toMatchObject({ param: "expires_at" });
    expect((await stripe.checkout.sessions.list()).data).toEqual([]);
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

  test("are named on their invoices, under parent", async () => {
    const sandbox = await openSandbox();
    const { customer, subscription } = await subscribe(sandbox);
    const [invoice] = (await sandbox.stripe.invoices.list({ customer })).data;
    expect(invoice?.parent?.subscription_details?.subscription).toBe(subscription.id);
    expect(invoice).not.toHaveProperty("subscription");
    expect(invoice).toMatchObject({ status: "paid", amount_paid: 999, total: 999 });
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

  test("every response names its request and API version", async () => {
    const sandbox = await openSandbox();
    const { lastResponse } = await sandbox.stripe.customers.create({});
    expect(lastResponse.requestId).toMatch(/^req_/);
    expect(lastResponse.apiVersion).toBe("2026-10-28.endive");
    const missing = await send(sandbox, "/v1/customers/cus_none");
    expect(missing.headers.get("request-id")).toMatch(/^req_/);
    expect(missing.headers.get("stripe-version")).toBe("2026-10-28.endive");
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

  test("a customer is changed, and deleted once, with its subscription", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { customer, subscription } = await subscribe(sandbox);
    await stripe.customers.update(customer, { email: "moved@example.com" });
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ email: "moved@example.com" });
    expect(await stripe.customers.del(customer)).toEqual(
      expect.objectContaining({ id: customer, deleted: true }),
    );
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ deleted: true });
    expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({
      status: "canceled",
    });
    for (const again of [
      stripe.customers.del(customer),
      stripe.customers.update(customer, { email: "late@example.com" }),
    ]) {
      expect(await rejection(again)).toMatchObject({ code: "resource_missing", statusCode: 404 });
    }
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

describe("portal, webhook endpoints, refunds", () => {
  test("a portal session needs a customer and offers the default configuration", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { id: customer } = await stripe.customers.create({});
    const session = await stripe.billingPortal.sessions.create({
      customer,
      return_url: "http://localhost:3000/premium",
    });
    expect(session.url).toContain("/p/session/test_");
    expect(session.url).not.toContain(session.id);
    expect(await rejection(stripe.billingPortal.sessions.create({}))).toMatchObject({
      code: "parameter_missing",
      param: "customer",
    });
    const defaults = await stripe.billingPortal.configurations.list({ is_default: true });
    expect(defaults.data).toMatchObject([
      { id: session.configuration, features: { subscription_cancel: { enabled: true } } },
    ]);
  });

  test("a portal configuration is created, updated and listed", async () => {
    const { stripe } = await openSandbox();
    const made = await stripe.billingPortal.configurations.create({
      business_profile: { headline: "Premium" },
      features: {
        invoice_history: { enabled: true },
        payment_method_update: { enabled: true },
        subscription_cancel: { enabled: true, mode: "at_period_end" },
      },
      metadata: { app: "site" },
    });
    expect(made).toMatchObject({
      active: true,
      is_default: false,
      features: { customer_update: { enabled: false }, subscription_cancel: { enabled: true } },
    });
    const changed = await stripe.billingPortal.configurations.update(made.id, {
      features: { subscription_cancel: { enabled: false } },
    });
    expect(changed.features).toMatchObject({
      invoice_history: { enabled: true },
      subscription_cancel: { enabled: false, mode: "at_period_end" },
    });
    expect((await stripe.billingPortal.configurations.list()).data).toHaveLength(2);
  });

  test("a webhook endpoint shows its secret once", async () => {
    const { stripe } = await openSandbox();
    const made = await stripe.webhookEndpoints.create({
      url: "http://site.example/webhooks",
      enabled_events: ["checkout.session.completed"],
      api_version: "2026-10-28.endive",
    });
    expect(made.secret).toMatch(/^whsec_/);
    expect(await stripe.webhookEndpoints.retrieve(made.id)).not.toHaveProperty("secret");
    const changed = await stripe.webhookEndpoints.update(made.id, {
      enabled_events: ["invoice.paid"],
      disabled: true,
    });
    expect(changed).toMatchObject({ enabled_events: ["invoice.paid"], status: "disabled" });
    expect((await stripe.webhookEndpoints.list()).data).toHaveLength(1);
    expect(await stripe.webhookEndpoints.del(made.id)).toMatchObject({ deleted: true });
    expect((await stripe.webhookEndpoints.list()).data).toEqual([]);
  });

  test("a payment is refunded once, in full or in parts", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { customer } = await subscribe(sandbox);
    const [charge] = (await stripe.charges.list({ customer })).data;
    const part = await stripe.refunds.create({ charge: charge?.id, amount: 400 });
    expect(part).toMatchObject({ amount: 400, status: "succeeded", charge: charge?.id });
    expect(
      (await rejection(stripe.refunds.create({ charge: charge?.id, amount: 600 }))).param,
    ).toBe("amount");
    await stripe.refunds.create({ payment_intent: String(charge?.payment_intent) });
    expect(await rejection(stripe.refunds.create({ charge: charge?.id }))).toMatchObject({
      code: "charge_already_refunded",
    });
    expect((await stripe.charges.list({ customer })).data).toMatchObject([
      { refunded: true, amount_refunded: 999 },
    ]);
  });
});

describe("invalid input", () => {
  test("of any kind in the body is a 4xx in Stripe's format, and the next request succeeds", async () => {
    const sandbox = await openSandbox();
    const post = (body: BodyInit, type = "application/x-www-form-urlencoded") =>
      send(sandbox, "/v1/customers", { method: "POST", body, headers: { "Content-Type": type } });
    const bad = await Promise.all([
      post('{"email":"a@example.com"}', "application/json"),
      post("%E0%A4%A"),
      post("metadata[a=1"),
      post("metadata=1&metadata[a]=2"),
      post("metadata[a][b][c][d][e][f][g][h][i][j][k]=1"),
      post("__proto__[polluted]=1"),
      post("metadata[__proto__][polluted]=1"),
      post(Buffer.from([0xff, 0xfe, 0x00])),
      post(`description=${"x".repeat(6_000)}`),
    ]);
    for (const response of bad) {
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error" } });
    }
    expect({}).not.toHaveProperty("polluted");
    expect((await sandbox.stripe.customers.list()).data).toEqual([]);
  });

  test("of more than a megabyte is rejected", async () => {
    const sandbox = await openSandbox();
    const response = await send(sandbox, "/v1/customers", {
      method: "POST",
      body: `description=${"x".repeat(1_200_000)}`,
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error" } });
    expect((await sandbox.stripe.customers.list()).data).toEqual([]);
  });

  test("never causes an internal error, whatever is sent to whichever path", async () => {
    const sandbox = await openSandbox();
    const { customer, subscription } = await subscribe(sandbox);
    const invoice = String(subscription.latest_invoice);
    const session = (await openCheckout(sandbox, customer)).id;
    const word = fc.constantFrom(
      ...[
        "",
        "0",
        "-1",
        "true",
        "all",
        "usd",
        "subscription",
        "9".repeat(30),
        "🎉",
        "%00",
        "a@b.c",
      ],
      ...["__proto__", "https://a.b/", customer, subscription.id, invoice, session],
      ...[SANDBOX_PRICE.id, SANDBOX_PRICE.productId],
    );
    const name = fc.constantFrom(
      ...["customer", "email", "metadata[a]", "metadata", "expand[]", "expand[0]", "limit"],
      ...["created[gt]", "created", "starting_after", "status", "price", "mode", "success_url"],
      ...["line_items[0][price]", "line_items[0][quantity]", "line_items", "features[x]", "name"],
      ...["features[subscription_cancel][enabled]", "currency", "unit_amount", "product", "type"],
      ...["items[0][price]", "items[0][id]", "pause_collection[behavior]", "cancel_at"],
      ...["recurring[interval]", "enabled_events[]", "url", "charge", "payment_intent", "amount"],
      ...[
        "cancel_at_period_end",
        "flow_data[type]",
        "return_url",
        "subscription",
        "toString",
        "id",
      ],
    );
    const path = fc.constantFrom(
      ...["billing_portal/configurations", "billing_portal/sessions", "coupons"],
      ...["charges", "checkout/sessions", `checkout/sessions/${session}`, "customers", "disputes"],
      ...[`checkout/sessions/${session}/expire`, `customers/${customer}`, "events", "invoices"],
      ...[`invoices/${invoice}`, `invoices/${invoice}/pay`, "prices", "products", "refunds"],
      ...[`prices/${SANDBOX_PRICE.id}`, `products/${SANDBOX_PRICE.productId}`, "subscriptions"],
      ...[`subscriptions/${subscription.id}`, "webhook_endpoints", "%E0", ""],
    );
    const fields = fc.array(fc.tuple(name, word), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("GET", "POST"), path, fields, async (method, at, given) => {
        const form = given
          .map(([field, value]) => `${field}=${encodeURIComponent(value)}`)
          .join("&");
        const response =
          method === "GET"
            ? await send(sandbox, `/v1/${at}?${form}`)
            : await send(sandbox, `/v1/${at}`, {
                method,
                body: form,
                headers: { "Content-Type": "application/x-www-form-urlencoded" },
              });
        expect(response.status).toBeLessThan(500);
        const body = (await response.json()) as { object?: string; error?: { type: string } };
        if (response.ok) expect(body.object).toBeTypeOf("string");
        else expect(body.error?.type).toMatch(/^(invalid_request|card)_error$/);
      }),
      { numRuns: 1_000 },
    );
    expect((await sandbox.stripe.prices.retrieve(SANDBOX_PRICE.id)).object).toBe("price");
  });

  test("cut off within the body creates nothing", async () => {
    const sandbox = await openSandbox();
    await new Promise<void>((resolve) => {
      const request = httpRequest(`${sandbox.origin}/v1/customers`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${SANDBOX_KEY}`,
          "Content-Type": "application/x-www-form-urlencoded",
          "Content-Length": 1_000,
        },
      });
      request.on("close", resolve);
      request.on("error", () => undefined);
      request.write("email=a%40example.com", () => request.destroy());
    });
    expect((await sandbox.stripe.customers.list()).data).toEqual([]);
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

  test("can be truncated responses, closed connections and slow requests", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    await sandbox.control("faults", { kind: "truncate" });
    expect((await rejection(stripe.customers.list())).type).toMatch(
      /StripeConnectionError|StripeAPIError/,
    );
    // stripe-node itself retries once after a lost connection
    await sandbox.control("faults", { kind: "destroy", times: 2 });
    expect((await rejection(stripe.customers.list())).type).toBe("StripeConnectionError");
    await sandbox.control("faults", { kind: "slow", ms: 5_000 });
    expect((await rejection(stripe.customers.list({}, { timeout: 50 }))).type).toBe(
      "StripeConnectionError",
    );
    expect((await stripe.customers.list()).data).toEqual([]);
  });

  test("without a count last until they are cleared", async () => {
    const sandbox = await openSandbox();
    await sandbox.control("faults", { kind: "error", times: 0, status: 503 });
    for (let count = 0; count < 3; count += 1) {
      expect((await rejection(sandbox.stripe.customers.list())).statusCode).toBe(503);
    }
    await sandbox.control("faults/clear");
    expect((await sandbox.stripe.customers.list()).data).toEqual([]);
  });
});

test("a port that is taken rejects with Node's own error", async () => {
  const holder = createServer();
  await new Promise<void>((resolve) => {
    holder.listen(0, "127.0.0.1", resolve);
  });
  const address = holder.address();
  const port = typeof address === "object" && address ? address.port : 0;
  await expect(
    startStripeSandbox({
      port,
      stateFile: null,
      secretKey: SANDBOX_KEY,
      webhookSecret: SANDBOX_WEBHOOK_SECRET,
      webhookUrl: null,
      price: SANDBOX_PRICE,
    }),
  ).rejects.toMatchObject({ code: "EADDRINUSE" });
  holder.close();
});
