import Stripe from "stripe";
import { describe, expect, test } from "vitest";
import {
  openSandbox,
  openWebhookSite,
  SANDBOX_PRICE,
  subscribe,
  type TestSandbox,
} from "../../support/stripe-sandbox";

async function rejection(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  const error = await call.then(
    () => new Error("It was not rejected."),
    (reason: unknown) => reason,
  );
  if (error instanceof Stripe.errors.StripeError) return error;
  throw error;
}

/** The types of all events with these prefixes, oldest first. */
async function typesOf({ stripe }: TestSandbox, ...prefixes: string[]): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of stripe.events.list({ limit: 100 })) types.unshift(type);
  return types.filter((type) => prefixes.some((prefix) => type.startsWith(prefix)));
}

async function statusOf({ stripe }: TestSandbox, id: string): Promise<string> {
  return (await stripe.subscriptions.retrieve(id)).status;
}

async function invoiceOf({ stripe }: TestSandbox, subscription: string, id: string) {
  const { data } = await stripe.invoices.list({ subscription, limit: 100 });
  return data.find((invoice) => invoice.id === id);
}

async function pastDue(sandbox: TestSandbox) {
  const { customer, subscription } = await subscribe(sandbox, "4000000000000341");
  await sandbox.control(`subscriptions/${subscription.id}/renew`);
  const { latest_invoice } = await sandbox.stripe.subscriptions.retrieve(subscription.id);
  expect(await statusOf(sandbox, subscription.id)).toBe("past_due");
  return { customer, id: subscription.id, invoice: String(latest_invoice) };
}

describe("an invoice that is written off", () => {
  test("makes a past due subscription active, with its events, and is not retried", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { customer, id, invoice } = await pastDue(sandbox);
    await sandbox.control(`subscriptions/${id}/write-off`);
    expect(await invoiceOf(sandbox, id, invoice)).toMatchObject({
      status: "uncollectible",
      auto_advance: false,
      next_payment_attempt: null,
      status_details: { uncollectible: { reason: "user_forgiven" } },
    });
    expect(await statusOf(sandbox, id)).toBe("active");
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ delinquent: false });
    expect(await typesOf(sandbox, "invoice.marked")).toEqual(["invoice.marked_uncollectible"]);
    await sandbox.control("clock", { days: 20 });
    expect(await invoiceOf(sandbox, id, invoice)).toMatchObject({ attempt_count: 1 });
    await expect(sandbox.control(`subscriptions/${id}/write-off`)).rejects.toThrow("409");
  });
});

test("paying the latest invoice makes a subscription active, whatever older ones owe", async () => {
  const sandbox = await openSandbox();
  const { id, invoice } = await pastDue(sandbox);
  await sandbox.control(`subscriptions/${id}/renew`, { outcome: "paid" });
  expect(await statusOf(sandbox, id)).toBe("active");
  await sandbox.control("clock", { days: 1.1 });
  expect(await invoiceOf(sandbox, id, invoice)).toMatchObject({
    status: "open",
    attempt_count: 2,
  });
  expect(await statusOf(sandbox, id)).toBe("active");
});

test("a voided invoice is no longer owed", async () => {
  const sandbox = await openSandbox();
  const { id, invoice } = await pastDue(sandbox);
  await sandbox.control(`subscriptions/${id}/void`);
  expect(await invoiceOf(sandbox, id, invoice)).toMatchObject({ status: "void" });
  expect(await statusOf(sandbox, id)).toBe("active");
  await expect(sandbox.control(`subscriptions/${id}/void`)).rejects.toThrow("409");
});

test("an unpaid subscription still creates invoices, which stay drafts", async () => {
  const sandbox = await openSandbox();
  const { stripe } = sandbox;
  const { id, invoice } = await pastDue(sandbox);
  await sandbox.control(`subscriptions/${id}/give-up`, { afterRetries: "unpaid" });
  await sandbox.control("clock", { days: 33 });
  const unpaid = await stripe.subscriptions.retrieve(id, { expand: ["latest_invoice"] });
  expect(unpaid).toMatchObject({
    status: "unpaid",
    latest_invoice: { status: "draft", auto_advance: false },
  });
  const { data } = await stripe.invoices.list({ subscription: id });
  expect(data.map(({ status }) => status)).toEqual(["draft", "open", "paid"]);
  await sandbox.control(`subscriptions/${id}/recover`);
  expect(await statusOf(sandbox, id)).toBe("active");
  expect(await invoiceOf(sandbox, id, invoice)).toMatchObject({ status: "paid" });
});

describe("while collection is paused", () => {
  test.each([
    ["void", "void"],
    ["mark_uncollectible", "uncollectible"],
    ["keep_as_draft", "draft"],
  ] as const)("renewals are not collected: %s", async (behavior, status) => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { subscription } = await subscribe(sandbox);
    await stripe.subscriptions.update(subscription.id, { pause_collection: { behavior } });
    await sandbox.control("clock", { days: 33 });
    const paused = await stripe.subscriptions.retrieve(subscription.id, {
      expand: ["latest_invoice"],
    });
    expect(paused).toMatchObject({
      status: "active",
      pause_collection: { behavior, resumes_at: null },
      latest_invoice: { status, amount_paid: 0, auto_advance: false },
    });
    await stripe.subscriptions.update(subscription.id, { pause_collection: "" });
    await sandbox.control("clock", { days: 31 });
    expect(
      await stripe.subscriptions.retrieve(subscription.id, { expand: ["latest_invoice"] }),
    ).toMatchObject({ pause_collection: null, latest_invoice: { status: "paid" } });
  });
});

describe("a change of price", () => {
  async function dearer({ stripe }: TestSandbox): Promise<string> {
    const { id } = await stripe.prices.create({
      product: SANDBOX_PRICE.productId,
      currency: "usd",
      unit_amount: 1_499,
      recurring: { interval: "month" },
    });
    return id;
  }

  test("applies from the next period on", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { subscription } = await subscribe(sandbox);
    const price = await dearer(sandbox);
    const changed = await stripe.subscriptions.update(subscription.id, {
      items: [{ id: subscription.items.data[0]?.id, price }],
      proration_behavior: "none",
    });
    expect(changed.items.data).toMatchObject([{ price: { id: price, unit_amount: 1_499 } }]);
    expect((await stripe.invoices.list({ subscription: subscription.id })).data).toHaveLength(1);
    await sandbox.control(`subscriptions/${subscription.id}/renew`);
    const [latest] = (await stripe.invoices.list({ subscription: subscription.id })).data;
    expect(latest).toMatchObject({ amount_paid: 1_499 });
  });
});

test("a cancellation beyond the period lets the subscription renew until then", async () => {
  const sandbox = await openSandbox();
  const { stripe } = sandbox;
  const { subscription } = await subscribe(sandbox);
  await sandbox.control(`subscriptions/${subscription.id}/cancel-at`, { days: 70 });
  const set = await stripe.subscriptions.retrieve(subscription.id);
  expect(set).toMatchObject({ cancel_at: expect.any(Number), cancel_at_period_end: false });
  await sandbox.control("clock", { days: 69 });
  expect(await statusOf(sandbox, subscription.id)).toBe("active");
  expect((await stripe.invoices.list({ subscription: subscription.id })).data).toHaveLength(3);
  await sandbox.control("clock", { days: 1.1 });
  expect(await statusOf(sandbox, subscription.id)).toBe("canceled");
  const { subscription: other } = await subscribe(sandbox);
  expect(
    await rejection(stripe.subscriptions.update(other.id, { cancel_at: 1_000_000 })),
  ).toMatchObject({ param: "cancel_at" });
});

describe("disputes", () => {
  test("an inquiry withdraws nothing, and when closed leaves only the charge marked as disputed", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { customer, subscription } = await subscribe(sandbox);
    const { id } = await sandbox.control<Stripe.Dispute>(
      `subscriptions/${subscription.id}/dispute`,
      { inquiry: true },
    );
    expect((await stripe.disputes.list()).data).toMatchObject([
      { id, status: "warning_needs_response", is_charge_refundable: true },
    ]);
    await sandbox.control(`disputes/${id}/review`);
    await sandbox.control(`disputes/${id}/close`, { won: true });
    const [charge] = (await stripe.charges.list({ customer })).data;
    expect(charge?.disputed).toBe(true);
    const { data } = await stripe.disputes.list({ charge: charge?.id });
    expect(data.map(({ status }) => status)).toEqual(["warning_closed"]);
    expect(await typesOf(sandbox, "charge.dispute")).toEqual([
      "charge.dispute.created",
      "charge.dispute.updated",
      "charge.dispute.closed",
    ]);
  });

  test("an inquiry can become a dispute, and what was charged back cannot be refunded", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { customer, subscription } = await subscribe(sandbox);
    const { id, payment_intent } = await sandbox.control<Stripe.Dispute>(
      `subscriptions/${subscription.id}/dispute`,
      { inquiry: true },
    );
    await sandbox.control(`disputes/${id}/escalate`);
    const intent = String(payment_intent);
    expect((await stripe.disputes.list({ payment_intent: intent })).data).toMatchObject([
      { id, status: "needs_response" },
    ]);
    expect(await rejection(stripe.refunds.create({ payment_intent: intent }))).toMatchObject({
      code: "charge_disputed",
    });
    await sandbox.control(`disputes/${id}/close`, { won: true });
    expect(await typesOf(sandbox, "charge.dispute")).toEqual([
      "charge.dispute.created",
      "charge.dispute.updated",
      "charge.dispute.funds_withdrawn",
      "charge.dispute.funds_reinstated",
      "charge.dispute.closed",
    ]);
    expect((await stripe.charges.list({ customer })).data).toMatchObject([{ disputed: true }]);
  });
});

describe("lists", () => {
  test("cover the whole account, and cancelled subscriptions only with 'all'", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      ids.push((await subscribe(sandbox)).subscription.id);
    }
    await stripe.subscriptions.cancel(ids[0] ?? "", { prorate: false, invoice_now: false });
    const found: Stripe.Subscription[] = [];
    for await (const subscription of stripe.subscriptions.list({
      status: "all",
      price: SANDBOX_PRICE.id,
      limit: 2,
      expand: ["data.latest_invoice.payments"],
    })) {
      found.push(subscription);
    }
    expect(found.map(({ id }) => id)).toEqual(ids.toReversed());
    for (const { latest_invoice } of found) {
      expect(latest_invoice).toMatchObject({
        payments: { data: [{ payment: { payment_intent: expect.stringMatching(/^pi_/) } }] },
      });
    }
    expect((await stripe.subscriptions.list()).data).toHaveLength(4);
    const invoices = await stripe.invoices.list({
      subscription: ids[1],
      expand: ["data.payments"],
    });
    expect(invoices.data).toMatchObject([{ payments: { data: [{ status: "paid" }] } }]);
  });
});

describe("undelivered events", () => {
  test("are those that are pending, failed or lost at any endpoint", async () => {
    const site = await openWebhookSite();
    const sandbox = await openSandbox({
      webhookUrl: site.url,
      webhookEvents: ["customer.created"],
    });
    const { stripe } = sandbox;
    const undelivered = async () =>
      (
        await stripe.events.list({
          delivery_success: false,
          types: ["customer.created"],
          created: { gte: 1 },
        })
      ).data.length;
    const settle = () => sandbox.control("webhooks/settle", { timeoutMs: 5_000 });
    await stripe.customers.create({});
    await settle();
    expect(await undelivered()).toBe(0);
    site.answerWith(500);
    await stripe.customers.create({});
    await settle();
    expect(await undelivered()).toBe(1);
    // after three days it is no longer retried, and still undelivered
    await sandbox.control("clock", { days: 3.1 });
    await sandbox.control("webhooks/retry");
    await settle();
    expect(await undelivered()).toBe(1);
    await sandbox.control("webhooks", { dropNext: 1 });
    await stripe.customers.create({});
    await sandbox.control("webhooks", { mode: "hold" });
    await stripe.customers.create({});
    expect(await undelivered()).toBe(3);
    site.answerWith(200);
    await sandbox.control("webhooks/release");
    const [lost] = (await stripe.events.list({ delivery_success: false })).data;
    await sandbox.control(`events/${lost?.id}/send`);
    await settle();
    expect(await undelivered()).toBe(1);
  });
});
