import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Stripe from "stripe";
import { describe, expect, onTestFinished, test } from "vitest";
import { openConnection, type Sent, send } from "../../support/http-client";
import {
  openCheckout,
  openSandbox,
  openWebhookSite,
  SANDBOX_KEY,
  SANDBOX_PRICE,
  SANDBOX_WEBHOOK_SECRET,
  subscribe,
  type TestSandbox,
} from "../../support/stripe-sandbox";

// Covers only mistakes of the local Stripe that would let other tests pass wrongly; those tests notice the rest.

async function rejection(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  const error = await call.then(
    () => new Error("It was not rejected."),
    (reason: unknown) => reason,
  );
  if (error instanceof Stripe.errors.StripeError) return error;
  throw error;
}

const statusOf = async ({ stripe }: TestSandbox, id: string) =>
  (await stripe.subscriptions.retrieve(id)).status;

/** Returns the statuses of a subscription's invoices, newest first. */
async function invoicesOf({ stripe }: TestSandbox, subscription: string) {
  const { data } = await stripe.invoices.list({ subscription, limit: 100 });
  return data.map(({ status }) => status);
}

/** A subscription whose renewal has failed. */
async function pastDue() {
  const sandbox = await openSandbox();
  const { subscription } = await subscribe(sandbox);
  await sandbox.control(`subscriptions/${subscription.id}/renew`, { outcome: "declined" });
  return { sandbox, subscription };
}

describe("a subscription", () => {
  test("is paid every month, each period following the last", async () => {
    const sandbox = await openSandbox();
    const { customer } = await subscribe(sandbox);
    await sandbox.control("clock", { days: 360 });
    const { data } = await sandbox.stripe.invoices.list({ customer, limit: 100 });
    expect(data.map(({ status }) => status)).toEqual(Array(12).fill("paid"));
    const periods = data.map(({ lines }) => lines.data[0]?.period).reverse();
    for (const [index, period] of periods.slice(1).entries()) {
      expect(period?.start).toBe(periods[index]?.end);
    }
  });

  test("whose renewal fails is past due, is retried eight times, and then canceled", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { customer, subscription } = await subscribe(sandbox, "4000000000000341");
    await sandbox.control(`subscriptions/${subscription.id}/renew`);
    expect(await statusOf(sandbox, subscription.id)).toBe("past_due");
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ delinquent: true });
    await sandbox.control("clock", { days: 13.9 });
    expect(await statusOf(sandbox, subscription.id)).toBe("past_due");
    await sandbox.control("clock", { days: 0.2 });
    expect(
      await stripe.subscriptions.retrieve(subscription.id, { expand: ["latest_invoice"] }),
    ).toMatchObject({ status: "canceled", latest_invoice: { attempt_count: 9 } });
  });

  test("ends with its period on request, unless it is resumed before", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { subscription } = await subscribe(sandbox);
    const end = subscription.items.data[0]?.current_period_end;
    const set = (cancel_at_period_end: boolean) =>
      stripe.subscriptions.update(subscription.id, { cancel_at_period_end });
    expect(await set(true)).toMatchObject({ status: "active", cancel_at: end });
    expect(await set(false)).toMatchObject({ cancel_at: null, canceled_at: null });
    await set(true);
    await sandbox.control("clock", { days: 32 });
    expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({
      status: "canceled",
      ended_at: end,
    });
  });

  test.each([
    ["write-off", ["uncollectible", "paid"]],
    ["void", ["void", "paid"]],
    ["recover", ["paid", "paid"]],
  ])("that is past due is active again after '%s'", async (action, invoices) => {
    const { sandbox, subscription } = await pastDue();
    await sandbox.control(`subscriptions/${subscription.id}/${action}`);
    expect(await statusOf(sandbox, subscription.id)).toBe("active");
    expect(await invoicesOf(sandbox, subscription.id)).toEqual(invoices);
  });

  test("that is unpaid still gets invoices, which stay drafts", async () => {
    const { sandbox, subscription } = await pastDue();
    await sandbox.control(`subscriptions/${subscription.id}/give-up`, { afterRetries: "unpaid" });
    await sandbox.control("clock", { days: 33 });
    expect(await statusOf(sandbox, subscription.id)).toBe("unpaid");
    expect(await invoicesOf(sandbox, subscription.id)).toEqual(["draft", "open", "paid"]);
  });
});

describe("a response of the API", () => {
  test("rejects what Stripe rejects: another key, an unknown parameter, path or object", async () => {
    const { stripe, port } = await openSandbox();
    const stranger = new Stripe("sk_test_other", { host: "127.0.0.1", port, protocol: "http" });
    expect(await rejection(stranger.customers.list())).toMatchObject({ statusCode: 401 });
    const unknown: object = { line_items: [{ prise: "x" }] };
    expect(await rejection(stripe.checkout.sessions.create(unknown))).toMatchObject({
      code: "parameter_unknown",
      param: "line_items[0][prise]",
      statusCode: 400,
    });
    expect((await rejection(stripe.coupons.list())).message).toContain(
      "Unrecognized request URL (GET: /v1/coupons)",
    );
    for (const id of ["cus_none", "constructor"]) {
      expect(await rejection(stripe.customers.retrieve(id))).toMatchObject({
        code: "resource_missing",
        statusCode: 404,
      });
    }
  });

  test("lists the newest first, in pages forwards and backwards", async () => {
    const { stripe } = await openSandbox();
    const made: string[] = [];
    for (let count = 0; count < 25; count += 1)
      made.unshift((await stripe.customers.create({})).id);
    const first = await stripe.customers.list();
    expect(first.has_more).toBe(true);
    expect(first.data.map(({ id }) => id)).toEqual(made.slice(0, 10));
    const next = await stripe.customers.list({ limit: 20, starting_after: made[9] });
    expect(next.has_more).toBe(false);
    expect(next.data.map(({ id }) => id)).toEqual(made.slice(10));
    const before = await stripe.customers.list({ limit: 5, ending_before: made[10] });
    expect(before.data.map(({ id }) => id)).toEqual(made.slice(5, 10));
  });

  test("expands references, through lists and up to four levels", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { customer } = await subscribe(sandbox);
    const list = (expand: string[]) => stripe.subscriptions.list({ customer, expand });
    const { data } = await list(["data.customer", "data.latest_invoice.payments.data"]);
    const latest_invoice = { payments: { data: [{ status: "paid" }] } };
    expect(data).toMatchObject([{ customer: { id: customer }, latest_invoice }]);
    const deep = "data.latest_invoice.payments.data.payment.payment_intent";
    expect((await rejection(list([deep]))).message).toContain("more than 4 levels");
    expect(await rejection(list(["data.start_date"]))).toMatchObject({ param: "expand" });
  });
});

describe("an idempotency key", () => {
  const key = { idempotencyKey: "k" };

  test("creates one object for fifty concurrent requests, for 24 hours", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const create = (params: Stripe.CustomerCreateParams) =>
      // those that arrive while the first is in flight get a 409 and are retried
      stripe.customers.create(params, { ...key, maxNetworkRetries: 5 });
    const created = await Promise.all(Array.from({ length: 50 }, () => create({ name: "A" })));
    expect(new Set(created.map(({ id }) => id)).size).toBe(1);
    expect((await stripe.customers.list()).data).toHaveLength(1);
    expect((await rejection(create({ name: "B" }))).type).toBe("StripeIdempotencyError");
    await sandbox.control("clock", { days: 1.01 });
    expect((await create({ name: "B" })).id).not.toBe(created[0]?.id);
  });

  test.each(["before", "after"])("replays a 500 that came %s the work", async (when) => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    await sandbox.control("faults", { kind: "error", when, match: "POST /v1/customers" });
    await rejection(stripe.customers.create({}, key));
    const again = await rejection(stripe.customers.create({}, key));
    expect(again.statusCode).toBe(500);
    expect(again.headers?.["idempotent-replayed"]).toBe("true");
    expect((await stripe.customers.list()).data).toHaveLength(when === "after" ? 1 : 0);
  });

  test("replays a refusal after its cause is mended, but not that of a wrong parameter", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { id: customer } = await stripe.customers.create({});
    const open = (more: object, idempotencyKey: string) => {
      const session = {
        mode: "subscription" as const,
        customer,
        line_items: [{ price: SANDBOX_PRICE.id, quantity: 1 }],
        success_url: "http://localhost:3000/",
        ...more,
      };
      return stripe.checkout.sessions.create(session, { idempotencyKey });
    };
    await stripe.products.update(SANDBOX_PRICE.productId, { active: false });
    await rejection(open({}, "k"));
    await rejection(open({ cheap: true }, "other"));
    await stripe.products.update(SANDBOX_PRICE.productId, { active: true });
    expect((await rejection(open({}, "k"))).message).toContain("its product is not active");
    expect((await open({}, "other")).status).toBe("open");
    await sandbox.control("clock", { days: 1.01 });
    expect((await open({}, "k")).status).toBe("open");
  });

  test.each([
    ["a 429", { kind: "error", status: 429 }],
    // stripe-node itself retries once after a lost connection
    ["an answer that was lost", { kind: "destroy", when: "after", times: 2 }],
    ["a connection lost before the work", { kind: "destroy", times: 2 }],
  ])("can be used again after %s", async (_what, fault) => {
    const sandbox = await openSandbox();
    await sandbox.control("faults", fault);
    await rejection(sandbox.stripe.customers.create({}, key));
    await sandbox.control("faults/clear");
    const made = await sandbox.stripe.customers.create({}, key);
    expect((await sandbox.stripe.customers.list()).data).toMatchObject([{ id: made.id }]);
  });
});

describe("a restricted key", () => {
  test("is refused what it may not read, also where that is only expanded", async () => {
    const sandbox = await openSandbox();
    await sandbox.control("keys", {
      key: "rk_test_sandboxTests",
      permissions: ["Subscriptions: write", "Invoices: read"],
    });
    const { port } = sandbox;
    const { subscriptions, customers } = new Stripe("rk_test_sandboxTests", {
      ...{ host: "127.0.0.1", port, protocol: "http", maxNetworkRetries: 0 },
    });
    const expand = ["data.default_payment_method"];
    expect((await subscriptions.list({ expand })).data).toEqual([]);
    await subscribe(sandbox);
    expect((await subscriptions.list({ expand: ["data.latest_invoice"] })).data).toHaveLength(1);
    const { statusCode, message } = await rejection(subscriptions.list({ expand }));
    expect(statusCode).toBe(403);
    expect(message).toContain("'rak_payment_method_read' permission would allow");
    expect((await rejection(customers.create({}))).message).toContain("'rak_customer_write'");
  });
});

describe("an invoice", () => {
  test("has discount and tax, in the currency that was chosen, and so does its preview", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    await sandbox.control("settings", { taxPercent: 19 });
    await sandbox.control("coupons", { code: "HALF", percentOff: 50, months: 1 });
    await sandbox.control(`prices/${SANDBOX_PRICE.id}/currency`, {
      currency: "eur",
      unitAmount: 1_000,
    });
    const { id } = await openCheckout(sandbox, undefined, {
      automatic_tax: { enabled: true },
      customer_update: { address: "auto" },
      allow_promotion_codes: true,
    });
    const paid = { code: "HALF", currency: "eur" };
    const { session } = await sandbox.control<{ session: Stripe.Checkout.Session }>(
      `sessions/${id}/pay`,
      paid,
    );
    expect(session).toMatchObject({ amount_total: 595, currency: "eur" });
    const subscription = String(session.subscription);
    const preview = await stripe.invoices.createPreview({ subscription });
    expect(preview).toMatchObject({
      amount_due: 1_190,
      currency: "eur",
      total_excluding_tax: 1_000,
    });
    await sandbox.control("clock", { days: 32 });
    const { data } = await stripe.invoices.list({ subscription });
    expect(
      data.map(({ amount_paid, total_taxes }) => [amount_paid, total_taxes?.[0]?.amount]),
    ).toEqual([
      [1_190, 190],
      [595, 95],
    ]);
  });

  test("whose payment needs authentication needs it again, until another card pays", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { subscription } = await subscribe(sandbox);
    const { invoice } = await sandbox.control<{ invoice: Stripe.Invoice }>(
      `subscriptions/${subscription.id}/renew`,
      { outcome: "authentication" },
    );
    const code = "invoice_payment_intent_requires_action";
    expect(await rejection(stripe.invoices.pay(invoice.id))).toMatchObject({ code });
    await sandbox.control("clock", { days: 2 });
    expect(await statusOf(sandbox, subscription.id)).toBe("past_due");
    const { data } = await stripe.invoices.list({ limit: 1, expand: ["data.payments"] });
    const [payment] = data[0]?.payments?.data ?? [];
    const intent = await stripe.paymentIntents.retrieve(String(payment?.payment.payment_intent));
    expect([payment?.status, intent.status]).toEqual(["open", "requires_action"]);
    await sandbox.control(`subscriptions/${subscription.id}/card`, { card: "5555555555554444" });
    expect((await stripe.invoices.pay(invoice.id)).status).toBe("paid");
  });

  test.each(["incomplete", "active"])(
    "of a first bank debit leaves the subscription %s until it arrives or fails",
    async (statusWhileDebited) => {
      const sandbox = await openSandbox();
      await sandbox.control("settings", { statusWhileDebited });
      const pay = async () => {
        const { id } = await openCheckout(sandbox);
        const { session } = await sandbox.control<{ session: Stripe.Checkout.Session }>(
          `sessions/${id}/pay`,
          { card: "bank_account" },
        );
        return String(session.subscription);
      };
      const [arriving, failing] = [await pay(), await pay()];
      await sandbox.control("clock", { days: 3 });
      expect(await statusOf(sandbox, arriving)).toBe(statusWhileDebited);
      await sandbox.control(`subscriptions/${arriving}/debit`, { arrives: true });
      await sandbox.control(`subscriptions/${failing}/debit`, { arrives: false });
      expect(await statusOf(sandbox, arriving)).toBe("active");
      const failed = { incomplete: "incomplete_expired", active: "past_due" }[statusWhileDebited];
      await expect.poll(() => statusOf(sandbox, failing)).toBe(failed);
      await sandbox.control("clock", { days: 30 });
      // a renewal by debit is processed for days, too
      expect(await statusOf(sandbox, arriving)).toBe("active");
      expect(await invoicesOf(sandbox, arriving)).toEqual(["open", "paid"]);
    },
  );

  test("of free time credits what was paid, and the next period uses that up", async () => {
    const sandbox = await openSandbox();
    const { subscription } = await subscribe(sandbox);
    await sandbox.control("clock", { days: 10 });
    await sandbox.control(`subscriptions/${subscription.id}/trial`, { days: 60 });
    expect(await statusOf(sandbox, subscription.id)).toBe("trialing");
    await sandbox.control("clock", { days: 5 });
    await sandbox.control(`subscriptions/${subscription.id}/trial`, { days: 0 });
    expect(await statusOf(sandbox, subscription.id)).toBe("active");
    await sandbox.control(`subscriptions/${subscription.id}/trial`, { days: 5 });
    await sandbox.control("clock", { days: 6 });
    expect(await statusOf(sandbox, subscription.id)).toBe("active");
    const { data } = await sandbox.stripe.invoices.list();
    expect(data.map(({ total, amount_paid }) => [total, amount_paid])).toEqual([
      [999, 0],
      [-999, 0],
      [999, expect.closeTo(333, -2)],
      [expect.closeTo(-666, -2), 0],
      [999, 999],
    ]);
  });

  test("of a change from yearly to monthly credits the unused time, for later invoices too", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { subscription, customer } = await subscribe(sandbox);
    const yearly = await stripe.prices.create({
      ...{ product: SANDBOX_PRICE.productId, currency: "usd", unit_amount: 9_900 },
      recurring: { interval: "year" },
    });
    const change = (priceId: string) =>
      sandbox.control(`subscriptions/${subscription.id}/price`, { priceId, now: true });
    await change(yearly.id);
    await change(SANDBOX_PRICE.id);
    await sandbox.control("clock", { days: 32 });
    const { data } = await stripe.invoices.list({ customer });
    expect(data.map(({ total, amount_paid }) => [total, amount_paid])).toEqual([
      [999, 0],
      [expect.closeTo(999 - 9_900, -1), 0],
      [expect.closeTo(9_900 - 999, -1), expect.closeTo(9_900 - 999, -1)],
      [999, 999],
    ]);
    const { deleted, ...kept } = await stripe.customers.retrieve(customer);
    expect(kept).toMatchObject({ balance: expect.closeTo(2 * 999 - 9_900, -1) });
  });

  test.each(["void", "keep_as_draft", "mark_uncollectible"])(
    "made while the author pauses collection follows '%s'",
    async (behavior) => {
      const sandbox = await openSandbox();
      const { subscription } = await subscribe(sandbox);
      await sandbox.control(`subscriptions/${subscription.id}/pause-collection`, { behavior });
      await sandbox.control("clock", { days: 32 });
      await sandbox.control(`subscriptions/${subscription.id}/resume-collection`);
      await sandbox.control("clock", { days: 31 });
      const made = { void: "void", keep_as_draft: "draft", mark_uncollectible: "uncollectible" };
      expect(await invoicesOf(sandbox, subscription.id)).toEqual([
        "paid",
        made[behavior as keyof typeof made],
        "paid",
      ]);
      expect(await statusOf(sandbox, subscription.id)).toBe("active");
    },
  );
});

describe("webhooks", () => {
  test("are retried until the site accepts them, for three days by the local Stripe's clock", async () => {
    const site = await openWebhookSite();
    const webhookEvents = ["customer.created" as const];
    const sandbox = await openSandbox({ webhookUrl: site.url, webhookEvents });
    const { stripe } = sandbox;
    const settle = (retries = false) =>
      sandbox.control("webhooks/settle", { timeoutMs: 30_000, retries });
    const undelivered = async () =>
      (await stripe.events.list({ delivery_success: false, type: "customer.created" })).data.length;
    await stripe.customers.create({});
    for (const status of [500, null, 302]) {
      site.answerWith(status);
      await sandbox.control("webhooks/retry");
      await settle();
      expect(await undelivered()).toBe(1);
    }
    site.answerWith(204);
    expect(await settle(true)).toEqual({ settled: true, backlog: 0 });
    expect(await undelivered()).toBe(0);
    expect(new Set(site.received.map(({ event }) => event.id)).size).toBe(1);

    site.answerWith(500);
    await stripe.customers.create({});
    await settle();
    await sandbox.control("clock", { days: 3.1 });
    await sandbox.control("webhooks/retry");
    expect(await settle(true)).toEqual({ settled: true, backlog: 0 });
    expect(await undelivered()).toBe(1);
  });

  test("and all acknowledged data survive a restart", async () => {
    const folder = await mkdtemp(join(tmpdir(), "stripe-sandbox-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const idle = await openWebhookSite();
    await idle.close();
    const options = { stateFile: join(folder, "state.json"), webhookUrl: idle.url };
    const first = await openSandbox(options);
    const { subscription } = await subscribe(first);
    const keyed = await first.stripe.customers.create({}, { idempotencyKey: "k" });
    await first.control("clock", { days: 0.5 });
    const clock = await first.control<{ offset: number }>("clock");
    await first.close();

    const second = await openSandbox(options);
    const { stripe } = second;
    expect(await statusOf(second, subscription.id)).toBe("active");
    expect((await stripe.customers.create({}, { idempotencyKey: "k" })).id).toBe(keyed.id);
    expect((await second.control<{ offset: number }>("clock")).offset).toBe(clock.offset);
    expect((await stripe.prices.list()).data).toHaveLength(1);
    const site = await openWebhookSite(SANDBOX_WEBHOOK_SECRET, Number(new URL(idle.url).port));
    await second.control("webhooks/retry");
    await site.first("customer.subscription.created");
  });
});

type Page = { status: number; location: string | null; text: string };

/** Requests a page of the local Stripe, by its path or its URL. */
async function visit(sandbox: TestSandbox, address: string, form?: object): Promise<Page> {
  const path = address.replace(/^http:\/\/localhost:\d+/, "");
  const response = await fetch(`${sandbox.origin}${path}`, {
    redirect: "manual",
    ...(form && { method: "POST", body: new URLSearchParams(Object.entries(form)) }),
  });
  return {
    status: response.status,
    location: response.headers.get("location"),
    text: await response.text(),
  };
}

describe("the hosted pages", () => {
  test("of a checkout decline a card, ask for 3-D Secure, and lead to the success URL", async () => {
    const sandbox = await openSandbox();
    const { id, url } = await openCheckout(sandbox);
    const declined = await visit(sandbox, url ?? "", { payment: "4000000000000002" });
    expect(declined.text).toContain("Your card was declined.");
    const asked = await visit(sandbox, url ?? "", { payment: "4000002500003155" });
    const failed = await visit(sandbox, asked.location ?? "", { answer: "fail" });
    expect(failed.text).toContain("We are unable to authenticate your payment method.");
    expect((await sandbox.stripe.subscriptions.list()).data).toEqual([]);
    const again = await visit(sandbox, url ?? "", { payment: "4000002500003155" });
    const passed = await visit(sandbox, again.location ?? "", { answer: "complete" });
    expect(passed.location).toBe(`http://localhost:3000/checkout/success?session_id=${id}`);
    const { data } = await sandbox.stripe.subscriptions.list();
    expect(data.map(({ status }) => status)).toEqual(["active"]);
  });

  test("of the portal change the customer's card, but not the subscription's own", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { customer, subscription } = await subscribe(sandbox, "4000000000000341");
    await sandbox.control(`subscriptions/${subscription.id}/renew`);
    const { url } = await stripe.billingPortal.sessions.create({
      customer,
      return_url: "http://localhost:3000/premium",
    });
    const asked = await visit(sandbox, `${url}/card`, { payment: "4000002500003155" });
    await visit(sandbox, asked.location ?? "", { answer: "complete" });
    // the next retry uses the subscription's own card again
    await sandbox.control("clock", { days: 1.1 });
    expect(await statusOf(sandbox, subscription.id)).toBe("past_due");
    await stripe.subscriptions.update(subscription.id, { default_payment_method: "" });
    await sandbox.control("clock", { days: 2.1 });
    expect(await statusOf(sandbox, subscription.id)).toBe("active");
  });
});

describe("the control page", () => {
  test("shows each object with a form for what can happen to it, and says what happened", async () => {
    const sandbox = await openSandbox();
    const { subscription } = await subscribe(sandbox);
    const { text } = await visit(sandbox, "/control");
    const action = `/_control/subscriptions/${subscription.id}/renew`;
    const [form = ""] = new RegExp(`<form[^>]* action="${action}">.*?</form>`).exec(text) ?? [];
    expect(form).toMatch(/<select name="outcome">.*<option selected>card<.*<option>declined</);
    const sent = await visit(sandbox, action, { outcome: "declined" });
    expect((await visit(sandbox, sent.location ?? "")).text).toContain(
      `Done: subscriptions/${subscription.id}/renew`,
    );
    expect(await statusOf(sandbox, subscription.id)).toBe("past_due");
  });
});

describe("the local Stripe's clock", () => {
  /** Requests to advance the clock by a day; returns whether it moved. */
  async function move(sandbox: TestSandbox, sent: Sent): Promise<{ status: number; days: number }> {
    const { status } = await send(`${sandbox.origin}/_control/clock`, { method: "POST", ...sent });
    const clock = await send(`${sandbox.origin}/_control/clock`);
    return { status, days: JSON.parse(clock.text).offset / 86_400 };
  }
  const form = { days: "1" };
  const evil = { Host: "evil.example", "Sec-Fetch-Site": "same-origin" };

  test.each<[string, Sent, number]>([
    ["a foreign host name, as in DNS rebinding", { form, headers: evil }, 421],
    ["an address like ours", { form, headers: { Host: "127.0.0.1.evil.example:3001" } }, 421],
    ["no host name at all", { form, headers: { Host: ":3001" } }, 421],
    ["another site", { form, headers: { "Sec-Fetch-Site": "cross-site" } }, 403],
    ["another port, in an old browser", { form, headers: { Origin: "http://127.0.0.1:9" } }, 403],
    ["a page without an origin", { form, headers: { Origin: "null" } }, 403],
    ["JSON without its content type", { body: '{"days":1}' }, 415],
  ])("cannot be moved by %s", async (_who, sent, status) => {
    expect(await move(await openSandbox(), sent)).toEqual({ status, days: 0 });
  });

  test.each<[string, Sent]>([
    ["a program", { json: { days: 1 } }],
    ["its own page", { form, headers: { "Sec-Fetch-Site": "same-origin" } }],
    ["a client over IPv6", { form, headers: { Host: "[::1]:3001" } }],
    ["a client at its public name", { form, headers: { Host: "BOOK.example:3001" } }],
    ["the site, at its configured host", { form, headers: { Host: "10.1.2.3:3001" } }],
  ])("can be moved by %s", async (_who, sent) => {
    const names = { publicOrigin: "http://book.example:3001", ownHost: "10.1.2.3" };
    const { days } = await move(await openSandbox(names), sent);
    expect(days).toBe(1);
  });

  test("has the same guard as the API and the pages", async () => {
    const sandbox = await openSandbox();
    for (const path of ["/control", "/c/pay/cs_1", "/v1/customers"]) {
      expect((await send(sandbox.origin + path, { headers: evil })).status).toBe(421);
    }
    const twice = await openConnection(sandbox.origin);
    twice.write("GET /control HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n");
    expect(await twice.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 421 /);
    twice.destroy();
    const { url } = await openCheckout(sandbox);
    const page = `${sandbox.origin}${new URL(url ?? "").pathname}`;
    const elsewhere = { "Sec-Fetch-Site": "cross-site" };
    // a link from another site works, but a form from there pays nothing
    expect((await send(page, { headers: elsewhere })).status).toBe(200);
    expect((await send(page, { form: {}, headers: elsewhere })).status).toBe(403);
    const api = { ...elsewhere, Authorization: `Bearer ${SANDBOX_KEY}` };
    expect((await send(`${sandbox.origin}/v1/customers`, { headers: api })).status).toBe(403);
  });
});
