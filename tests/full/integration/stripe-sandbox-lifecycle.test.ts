import type Stripe from "stripe";
import { describe, expect, test } from "vitest";
import { RETRY_DAYS } from "~/sandbox/stripe/engine/subscription-lifecycle";
import {
  openCheckout,
  openSandbox,
  subscribe,
  type TestSandbox,
} from "../../support/stripe-sandbox";

const DAY = 86_400;

/** The types of all events about a customer, oldest first. */
async function eventTypes({ stripe }: TestSandbox): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of stripe.events.list({ limit: 100 })) types.unshift(type);
  return types;
}

async function eventOf<Type extends Stripe.Event["type"]>({ stripe }: TestSandbox, type: Type) {
  const [event] = (await stripe.events.list({ type, limit: 1 })).data;
  if (event?.type !== type) throw new Error(`There was no ${type}.`);
  return event as Extract<Stripe.Event, { type: Type }>;
}

function periodOf(subscription: Stripe.Subscription): { start: number; end: number } {
  const [item] = subscription.items.data;
  if (!item) throw new Error("The subscription has no item.");
  return { start: item.current_period_start, end: item.current_period_end };
}

describe("a first payment", () => {
  test("causes the events of a checkout, each with its object", async () => {
    const sandbox = await openSandbox();
    const session = await openCheckout(sandbox);
    await sandbox.control(`sessions/${session.id}/pay`);
    const types = await eventTypes(sandbox);
    for (const type of [
      "customer.created",
      "payment_intent.created",
      "charge.succeeded",
      "payment_intent.succeeded",
      "payment_method.attached",
      "customer.subscription.created",
      "invoice.created",
      "invoice.finalized",
      "invoice.paid",
      "invoice.payment_succeeded",
      "customer.subscription.updated",
      "checkout.session.completed",
    ]) {
      expect(types).toContain(type);
    }
    const completed = await eventOf(sandbox, "checkout.session.completed");
    expect(completed).toMatchObject({
      object: "event",
      api_version: "2026-10-28.endive",
      livemode: false,
      data: { object: { id: session.id, payment_status: "paid", status: "complete" } },
    });
    const updated = await eventOf(sandbox, "customer.subscription.updated");
    expect(updated.data.object.status).toBe("active");
    expect(updated.data.previous_attributes).toEqual({ status: "incomplete" });
    expect((await eventOf(sandbox, "customer.subscription.created")).data.object.status).toBe(
      "incomplete",
    );
  });

  test("caused by an API request has events that name the request and its idempotency key", async () => {
    const sandbox = await openSandbox();
    const customer = await sandbox.stripe.customers.create({}, { idempotencyKey: "once" });
    const { request } = await eventOf(sandbox, "customer.created");
    expect(request).toEqual({ id: customer.lastResponse.requestId, idempotency_key: "once" });
  });

  test("that is delayed can still succeed", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const session = await openCheckout(sandbox);
    await sandbox.control(`sessions/${session.id}/pay`, { card: "bank_account" });
    await sandbox.control("clock", { days: 3 });
    const { subscription } = await stripe.checkout.sessions.retrieve(session.id);
    expect((await stripe.subscriptions.retrieve(String(subscription))).status).toBe("incomplete");
    await sandbox.control(`sessions/${session.id}/settle`);
    expect((await stripe.subscriptions.retrieve(String(subscription))).status).toBe("active");
    const event = await eventOf(sandbox, "checkout.session.async_payment_succeeded");
    expect(event.data.object).toMatchObject({ id: session.id, payment_status: "paid" });
    await expect(sandbox.control(`sessions/${session.id}/settle`)).rejects.toThrow("409");
  });

  test("that is delayed can fail, and the subscription expires 23 hours after its start", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const session = await openCheckout(sandbox);
    await sandbox.control(`sessions/${session.id}/pay`, { card: "bank_account" });
    await sandbox.control(`sessions/${session.id}/fail`);
    const failed = await eventOf(sandbox, "checkout.session.async_payment_failed");
    expect(failed.data.object).toMatchObject({ id: session.id, payment_status: "unpaid" });
    const [subscription] = (await stripe.subscriptions.list()).data;
    expect(subscription?.status).toBe("incomplete");
    await sandbox.control("clock", { days: 1 });
    expect(
      await stripe.subscriptions.retrieve(subscription?.id ?? "", { expand: ["latest_invoice"] }),
    ).toMatchObject({ status: "incomplete_expired", latest_invoice: { status: "void" } });
  });
});

describe("renewals", () => {
  test("happen when the clock passes the period's end: a draft, paid an hour later", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { subscription } = await subscribe(sandbox);
    const { end } = periodOf(subscription);
    const { now } = await sandbox.control<{ now: number }>("clock", {});
    await sandbox.control("clock", { seconds: end - now + 60 });
    const renewed = await stripe.subscriptions.retrieve(subscription.id, {
      expand: ["latest_invoice"],
    });
    expect(renewed).toMatchObject({ status: "active", latest_invoice: { status: "draft" } });
    expect(periodOf(renewed).start).toBe(end);
    await sandbox.control("clock", { seconds: 3_600 });
    expect(
      await stripe.subscriptions.retrieve(subscription.id, { expand: ["latest_invoice"] }),
    ).toMatchObject({
      latest_invoice: { status: "paid", billing_reason: "subscription_cycle" },
    });
  });

  test("happen every month, each paid once", async () => {
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

  test("that fail make it past due, in its new period", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { customer, subscription } = await subscribe(sandbox, "4000000000000341");
    await sandbox.control(`subscriptions/${subscription.id}/renew`);
    const late = await stripe.subscriptions.retrieve(subscription.id, {
      expand: ["latest_invoice"],
    });
    expect(late).toMatchObject({
      status: "past_due",
      latest_invoice: { status: "open", attempt_count: 1, amount_remaining: 999 },
    });
    expect(periodOf(late).end).toBeGreaterThan(Date.now() / 1000 + 20 * DAY);
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ delinquent: true });
    const types = await eventTypes(sandbox);
    expect(types).toContain("invoice.payment_failed");
    expect(types).toContain("charge.failed");
    const updated = await eventOf(sandbox, "customer.subscription.updated");
    expect(updated.data.previous_attributes).toEqual({ status: "active" });
  });

  test("that fail are retried 8 times within 2 weeks, then the subscription is cancelled", async () => {
    expect(RETRY_DAYS).toHaveLength(8);
    expect(RETRY_DAYS.reduce((sum, days) => sum + days, 0)).toBe(14);
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { subscription } = await subscribe(sandbox, "4000000000000341");
    await sandbox.control(`subscriptions/${subscription.id}/renew`);
    const attempts = async () => {
      const { latest_invoice, status } = await stripe.subscriptions.retrieve(subscription.id, {
        expand: ["latest_invoice"],
      });
      return { status, attempts: (latest_invoice as Stripe.Invoice).attempt_count };
    };
    for (const [index, days] of RETRY_DAYS.slice(0, -1).entries()) {
      await sandbox.control("clock", { days: index === 0 ? days + 0.01 : days });
      expect(await attempts()).toEqual({ status: "past_due", attempts: index + 2 });
    }
    await sandbox.control("clock", { days: RETRY_DAYS.at(-1) });
    expect(await attempts()).toEqual({ status: "canceled", attempts: 9 });
    const deleted = await eventOf(sandbox, "customer.subscription.deleted");
    expect(deleted.data.object.cancellation_details?.reason).toBe("payment_failed");
  });

  test("that failed are recovered when the open invoice is paid", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { customer, subscription } = await subscribe(sandbox);
    await sandbox.control(`subscriptions/${subscription.id}/renew`, { outcome: "declined" });
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe("past_due");
    const [open] = (await stripe.invoices.list({ customer, status: "open" })).data;
    expect(await stripe.invoices.pay(open?.id ?? "")).toMatchObject({ status: "paid" });
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe("active");
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ delinquent: false });
  });
});

describe("other changes of a subscription", () => {
  test("a pause stops renewals until it ends, and then a new period is paid", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const { customer, subscription } = await subscribe(sandbox);
    await sandbox.control(`subscriptions/${subscription.id}/pause`);
    expect(await eventTypes(sandbox)).toContain("customer.subscription.paused");
    await sandbox.control("clock", { days: 70 });
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe("paused");
    expect((await stripe.invoices.list({ customer })).data).toHaveLength(1);
    await sandbox.control(`subscriptions/${subscription.id}/resume`);
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe("active");
    expect((await stripe.invoices.list({ customer, status: "paid" })).data).toHaveLength(2);
    expect(await eventTypes(sandbox)).toContain("customer.subscription.resumed");
  });

  test("a refund and a dispute leave the subscription, with events about the charge", async () => {
    const sandbox = await openSandbox();
    const first = await subscribe(sandbox);
    const second = await subscribe(sandbox);
    await sandbox.control(`subscriptions/${first.subscription.id}/refund`);
    await sandbox.control(`subscriptions/${second.subscription.id}/dispute`);
    const refunded = await eventOf(sandbox, "charge.refunded");
    expect(refunded.data.object).toMatchObject({
      customer: first.customer,
      refunded: true,
      amount_refunded: 999,
    });
    const disputed = await eventOf(sandbox, "charge.dispute.created");
    expect(disputed.data.object).toMatchObject({ status: "needs_response", amount: 999 });
    const statuses = (await sandbox.stripe.subscriptions.list()).data.map(({ status }) => status);
    expect(statuses).toEqual(["active", "active"]);
    await sandbox.control(`disputes/${disputed.data.object.id}/close`, { won: false });
    const { data } = await sandbox.stripe.disputes.list();
    expect(data.map(({ status }) => status)).toEqual(["lost"]);
  });

  test("ending the retries cancels a past-due subscription at once", async () => {
    const sandbox = await openSandbox();
    const { subscription } = await subscribe(sandbox);
    await sandbox.control(`subscriptions/${subscription.id}/renew`, { outcome: "declined" });
    await sandbox.control(`subscriptions/${subscription.id}/give-up`);
    expect((await sandbox.stripe.subscriptions.retrieve(subscription.id)).status).toBe("canceled");
    await expect(sandbox.control(`subscriptions/${subscription.id}/recover`)).rejects.toThrow(
      "409",
    );
  });
});
