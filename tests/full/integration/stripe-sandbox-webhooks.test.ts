import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Stripe from "stripe";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Delivery } from "~/sandbox/stripe/engine/state";
import {
  openCheckout,
  openSandbox,
  openWebhookSite,
  SANDBOX_PRICE,
  SANDBOX_WEBHOOK_SECRET,
  subscribe,
  type TestSandbox,
} from "../../support/stripe-sandbox";

async function deliveriesOf({ origin }: TestSandbox): Promise<(Delivery & { type: string })[]> {
  const response = await fetch(`${origin}/_control/deliveries`);
  const answer = (await response.json()) as { deliveries: (Delivery & { type: string })[] };
  return answer.deliveries;
}

const settle = (sandbox: TestSandbox, options: object = {}) =>
  sandbox.control<{ settled: boolean; backlog: number }>("webhooks/settle", options);

async function scratchFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "stripe-sandbox-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "state.json");
}

/** A port that nothing listens on at the moment. */
async function idlePort(): Promise<number> {
  const site = await openWebhookSite();
  await site.close();
  return Number(new URL(site.url).port);
}

describe("webhooks", () => {
  test("are signed, and sent for the events that the endpoint has enabled", async () => {
    const site = await openWebhookSite();
    const sandbox = await openSandbox({
      webhookUrl: site.url,
      webhookEvents: [
        "checkout.session.completed",
        "customer.subscription.created",
        "invoice.paid",
        "refund.failed",
      ],
    });
    const session = await openCheckout(sandbox);
    await sandbox.control(`sessions/${session.id}/pay`);
    expect(await settle(sandbox)).toEqual({ settled: true, backlog: 0 });
    expect(site.types().toSorted()).toEqual([
      "checkout.session.completed",
      "customer.subscription.created",
      "invoice.paid",
    ]);
    const { event, body, headers } = await site.first("checkout.session.completed");
    expect(event).toMatchObject({
      object: "event",
      api_version: "2026-10-28.endive",
      livemode: false,
      pending_webhooks: 1,
      data: { object: { id: session.id, object: "checkout.session" } },
    });
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    const signature = headers["stripe-signature"] ?? "";
    expect(signature).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
    expect(() => Stripe.webhooks.constructEvent(body, signature, "whsec_other")).toThrow();
    const { data } = await sandbox.stripe.events.list({ type: "checkout.session.completed" });
    expect(data).toMatchObject([{ id: event.id, pending_webhooks: 0 }]);
  });

  test("are signed with the real time, however far the sandbox clock is ahead", async () => {
    const site = await openWebhookSite();
    const sandbox = await openSandbox({ webhookUrl: site.url });
    await subscribe(sandbox);
    await sandbox.control("clock", { days: 40 });
    await settle(sandbox);
    const renewal = site.received.filter(({ event }) => event.type === "invoice.paid").at(-1);
    expect(renewal?.event.created).toBeGreaterThan(Date.now() / 1000 + 20 * 86_400);
  });

  test("reach every registered endpoint with its own secret, events and version", async () => {
    const sandbox = await openSandbox();
    const { stripe } = sandbox;
    const port = await idlePort();
    const endpoint = await sandbox.control<Stripe.WebhookEndpoint>("endpoints", {
      url: `http://127.0.0.1:${port}/hook`,
      events: ["customer.created"],
      apiVersion: "2026-09-30.endive",
    });
    // shown when it is created, and never again
    const [listed] = (await stripe.webhookEndpoints.list()).data;
    for (const shown of [listed, await stripe.webhookEndpoints.retrieve(endpoint.id)]) {
      expect(shown).toMatchObject({ id: endpoint.id });
      expect(shown).not.toHaveProperty("secret");
    }
    const site = await openWebhookSite(endpoint.secret, port);
    await stripe.customers.create({});
    await stripe.products.update(SANDBOX_PRICE.productId, { name: "A" });
    await settle(sandbox);
    expect(site.types()).toEqual(["customer.created"]);
    expect(site.received[0]?.event.api_version).toBe("2026-09-30.endive");
    await stripe.webhookEndpoints.del(endpoint.id);
    await stripe.customers.create({});
    await settle(sandbox);
    expect(site.types()).toEqual(["customer.created"]);
  });

  test("are retried until the site responds with a 2xx", async () => {
    const site = await openWebhookSite();
    const sandbox = await openSandbox({
      webhookUrl: site.url,
      webhookEvents: ["customer.created"],
    });
    site.answerWith(500);
    await sandbox.stripe.customers.create({});
    await settle(sandbox);
    site.answerWith(null);
    await sandbox.control("webhooks/retry");
    await settle(sandbox);
    site.answerWith(302);
    await sandbox.control("webhooks/retry");
    await settle(sandbox);
    site.answerWith(204);
    expect(await settle(sandbox, { retries: true })).toEqual({ settled: true, backlog: 0 });
    const [delivery] = await deliveriesOf(sandbox);
    expect(delivery?.state).toBe("delivered");
    expect(delivery?.attempts.map(({ status }) => status)).toEqual([500, null, 302, 204]);
    expect(new Set(site.received.map(({ event }) => event.id)).size).toBe(1);
  });

  test("are given up after three days of the sandbox clock", async () => {
    const site = await openWebhookSite();
    site.answerWith(500);
    const sandbox = await openSandbox({
      webhookUrl: site.url,
      webhookEvents: ["customer.created"],
    });
    await sandbox.stripe.customers.create({});
    await settle(sandbox);
    await sandbox.control("clock", { days: 3.1 });
    await sandbox.control("webhooks/retry");
    expect(await settle(sandbox, { retries: true })).toEqual({ settled: true, backlog: 0 });
    expect((await deliveriesOf(sandbox)).map(({ state }) => state)).toEqual(["failed"]);
  });

  test("can be dropped, duplicated, held, and released in reverse order", async () => {
    const site = await openWebhookSite();
    const sandbox = await openSandbox({
      webhookUrl: site.url,
      webhookEvents: ["customer.created"],
    });
    const { stripe } = sandbox;
    const create = async (count: number) => {
      const ids: string[] = [];
      for (let made = 0; made < count; made += 1) ids.push((await stripe.customers.create({})).id);
      await settle(sandbox);
      return ids;
    };
    const arrived = () =>
      site.received.splice(0).map(({ event }) => (event.data.object as Stripe.Customer).id);

    await sandbox.control("webhooks", { dropNext: 2 });
    const [, , third] = await create(3);
    expect(arrived()).toEqual([third]);

    await sandbox.control("webhooks", { duplicates: 2 });
    const [doubled] = await create(1);
    expect(arrived()).toEqual([doubled, doubled, doubled]);

    await sandbox.control("webhooks", { duplicates: 0, mode: "hold" });
    const held = await create(4);
    expect(arrived()).toEqual([]);
    expect(await sandbox.control("webhooks/release", { order: "reverse" })).toEqual({
      released: 4,
    });
    expect(arrived()).toEqual(held.toReversed());

    const [early, ...lost] = await create(3);
    await sandbox.control("webhooks/release", { count: 1 });
    expect(arrived()).toEqual([early]);
    expect(await sandbox.control("webhooks/discard")).toEqual({ discarded: lost.length });
    await sandbox.control("webhooks/release");
    expect(arrived()).toEqual([]);

    const all = await create(30);
    await sandbox.control("webhooks/release", { order: "together" });
    expect(arrived().toSorted()).toEqual(all.toSorted());

    await sandbox.control("webhooks", { mode: "drop" });
    await create(2);
    expect(arrived()).toEqual([]);
    await sandbox.control("webhooks/reset");
    const [last] = await create(1);
    expect(arrived()).toEqual([last]);
  });
});

describe("a restart", () => {
  test("keeps objects, the clock, idempotency keys and pending deliveries", async () => {
    const stateFile = await scratchFile();
    const port = await idlePort();
    const options = { stateFile, webhookUrl: `http://127.0.0.1:${port}/hook` };
    const first = await openSandbox(options);
    const { customer, subscription } = await subscribe(first);
    const session = await openCheckout(first, customer);
    const keyed = await first.stripe.customers.create({ name: "A" }, { idempotencyKey: "k" });
    await first.control("clock", { days: 0.5 });
    const clock = await first.control<{ now: number; offset: number }>("clock");
    await settle(first);
    const before = await first.stripe.subscriptions.retrieve(subscription.id);
    await first.close();

    const second = await openSandbox(options);
    const { stripe } = second;
    expect(await stripe.subscriptions.retrieve(subscription.id)).toEqual(before);
    expect((await stripe.subscriptions.list({ customer })).data).toMatchObject([
      { id: subscription.id, status: "active" },
    ]);
    const again = await stripe.customers.create({ name: "A" }, { idempotencyKey: "k" });
    expect(again.id).toBe(keyed.id);
    const later = await second.control<{ now: number; offset: number }>("clock");
    expect(later.offset).toBe(clock.offset);
    expect(later.now).toBeGreaterThanOrEqual(clock.now);
    await second.control(`sessions/${session.id}/pay`);
    expect((await stripe.prices.list()).data).toHaveLength(1);
    expect((await stripe.webhookEndpoints.list()).data).toHaveLength(1);

    const site = await openWebhookSite(SANDBOX_WEBHOOK_SECRET, port);
    await second.control("webhooks/retry");
    expect(await settle(second, { retries: true, timeoutMs: 30_000 })).toMatchObject({
      settled: true,
    });
    const created = site.received
      .filter(({ event }) => event.type === "customer.subscription.created")
      .map(({ event }) => (event.data.object as Stripe.Subscription).id);
    expect(created).toContain(subscription.id);
  });

  test("after a crash keeps everything that was acknowledged", async () => {
    const stateFile = await scratchFile();
    const running = await openSandbox({ stateFile });
    const made = await Promise.all(
      Array.from({ length: 30 }, () => running.stripe.customers.create({})),
    );
    // a killed process leaves the file as it is
    const crashed = `${stateFile}.copy`;
    await writeFile(crashed, await readFile(stateFile));
    const restarted = await openSandbox({ stateFile: crashed });
    const { data } = await restarted.stripe.customers.list({ limit: 100 });
    expect(data.map(({ id }) => id).toSorted()).toEqual(made.map(({ id }) => id).toSorted());
    expect((await readdir(join(stateFile, ".."))).toSorted()).toEqual([
      "state.json",
      "state.json.copy",
    ]);
  });
});
