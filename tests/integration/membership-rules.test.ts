import type Stripe from "stripe";
import { describe, expect, it, vi } from "vitest";
import { SANDBOX_STRIPE, setEnvironment } from "~/env.server";
import { startCheckout } from "~/features/billing/checkout.server";
import { reconcile } from "~/features/billing/reconcile.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { syncCustomer } from "~/features/billing/sync-customer.server";
import { processUndeliveredEvents } from "~/features/billing/undelivered-events.server";
import { receiveWebhook } from "~/features/billing/webhook.server";
import { isSubscribed } from "~/features/membership/access";
import { log } from "~/observability/log.server";
import { findProfile } from "~db/queries/profiles";
import { findStripePrice } from "~db/queries/stripe-prices";
import {
  control,
  newMember,
  newPayer,
  newReader,
  type Payer,
  requestCounts,
  stripeSettings,
} from "../support/payments";
import { testSite } from "../support/site";

const DAY_MS = 24 * 60 * 60_000;

// no webhook is delivered, unless a test does it
const site = testSite({ payments: {} });

const play = (path: string, fields: Record<string, unknown> = {}) =>
  control(site.sandboxOrigin, path, fields);
const row = async ({ id }: { id: string }) => {
  const profile = await findProfile(id);
  if (!profile) throw new Error("The account has no profile.");
  return profile;
};
const hasAccess = async (reader: { id: string }, at = new Date()) =>
  isSubscribed(await row(reader), at);
const daysFromNow = (days: number) => new Date(Date.now() + days * DAY_MS);
const dayOf = (at: Date | null) => Math.round(((at?.getTime() ?? 0) - Date.now()) / DAY_MS);

/** Moves the start of a payer's subscription, with its invoices, back by a number of days. */
const age = ({ subscription }: Payer, days: number) =>
  play(`subscriptions/${subscription}/age`, { days });

const latestInvoice = async ({ subscription }: Payer) =>
  (await stripeClient().invoices.list({ subscription, limit: 1 })).data[0];

/** Stops the collection of a payer's latest invoice, as the author can. */
const stopCollection = async (payer: Payer) =>
  stripeClient().invoices.update((await latestInvoice(payer))?.id ?? "", { auto_advance: false });

async function newPrice(product: string, unit_amount = 1_499, interval = "month"): Promise<string> {
  const { id } = await stripeClient().prices.create({
    product,
    currency: "usd",
    unit_amount,
    recurring: { interval: interval as "month" },
  });
  return id;
}

/** The number of requests of a kind to Stripe since they were cleared. */
const requestsOf = async (kind: string) => (await requestCounts(site.sandboxOrigin))[kind] ?? 0;

/** Creates another product of the author's, which is not a membership; returns its price. */
async function coaching(): Promise<string> {
  const { id } = await stripeClient().products.create({ name: "Coaching" });
  return newPrice(id, 20_000);
}

describe("a new price", () => {
  it("keeps access for members who still pay the old one", async () => {
    const member = await newMember(site.sandboxOrigin);
    const priceId = await newPrice(SANDBOX_STRIPE.productId);
    setEnvironment(stripeSettings(site.sandboxOrigin, priceId));
    await syncCustomer(member.customer);
    expect(await hasAccess(member)).toBe(true);
    expect((await row(member)).stripePriceId).toBe(SANDBOX_STRIPE.priceId);

    await play(`subscriptions/${member.subscription}/renew`, { outcome: "paid" });
    await syncCustomer(member.customer);
    expect(await hasAccess(member)).toBe(true);
  });

  it("replaces the old one in a moved member's row", async () => {
    const member = await newMember(site.sandboxOrigin);
    const priceId = await newPrice(SANDBOX_STRIPE.productId, 1_234);
    await play(`subscriptions/${member.subscription}/price`, { priceId });
    await syncCustomer(member.customer);
    expect((await row(member)).stripePriceId).toBe(priceId);
    expect(await findStripePrice(priceId)).toMatchObject({
      productId: SANDBOX_STRIPE.productId,
      unitAmount: 1_234,
      interval: "month",
    });
    expect(await hasAccess(member)).toBe(true);
  });
});

describe("a renewal", () => {
  it("that is not paid gets one grace period, from the first unpaid period", async () => {
    const member = await newMember(site.sandboxOrigin);
    await play("settings", { afterRetries: "past_due" });
    await play(`subscriptions/${member.subscription}/card`, { card: "4000000000000341" });
    await play(`subscriptions/${member.subscription}/renew`);
    await syncCustomer(member.customer);
    expect(dayOf((await row(member)).stripeCurrentPeriodEnd)).toBe(15);
    expect(await hasAccess(member, daysFromNow(14))).toBe(true);

    await age(member, 20);
    await syncCustomer(member.customer);
    expect(await hasAccess(member)).toBe(false);
    for (const _period of [2, 3]) {
      await play(`subscriptions/${member.subscription}/renew`);
      await syncCustomer(member.customer);
      expect((await row(member)).stripeSubscriptionStatus).toBe("past_due");
      expect(await hasAccess(member)).toBe(false);
    }
    await play("settings", { afterRetries: "cancel" });
  });

  it.each(["write-off", "void"])("whose invoice is given up by %s is not paid", async (end) => {
    const member = await newMember(site.sandboxOrigin);
    await play(`subscriptions/${member.subscription}/renew`, { outcome: "declined" });
    await play(`subscriptions/${member.subscription}/${end}`);
    expect((await stripeClient().subscriptions.retrieve(member.subscription)).status).toBe(
      "active",
    );
    await syncCustomer(member.customer);
    expect(dayOf((await row(member)).stripeCurrentPeriodEnd)).toBe(15);
    await age(member, 16);
    await syncCustomer(member.customer);
    expect(await hasAccess(member)).toBe(false);
  });

  it("is paid with a card added in the portal, without waiting for Stripe's retries", async () => {
    const member = await newMember(site.sandboxOrigin);
    await play(`subscriptions/${member.subscription}/renew`, { outcome: "declined" });
    await play(`customers/${member.customer}/card`, { card: "4242424242424242" });
    await syncCustomer(member.customer);
    expect(await row(member)).toMatchObject({ stripeSubscriptionStatus: "active" });
    const { default_payment_method } = await stripeClient().subscriptions.retrieve(
      member.subscription,
    );
    expect(default_payment_method, "the old card is pinned no more").toBeNull();
  });

  it("is all that a new card pays, without earlier months without access", async () => {
    const member = await newMember(site.sandboxOrigin);
    await play("settings", { afterRetries: "past_due" });
    await play(`subscriptions/${member.subscription}/card`, { card: "4000000000000341" });
    for (const _period of [1, 2, 3]) await play(`subscriptions/${member.subscription}/renew`);
    await play(`customers/${member.customer}/card`, { card: "4242424242424242" });
    await play("requests/clear");
    await syncCustomer(member.customer);
    await play("settings", { afterRetries: "cancel" });
    // whether the earlier ones are paid is open: Stripe itself may be retrying them
    expect(await requestsOf("POST /v1/invoices/:id/pay")).toBe(1);
    const { data } = await stripeClient().invoices.list({ subscription: member.subscription });
    expect(data[0]).toMatchObject({ status: "paid" });
    expect(await hasAccess(member)).toBe(true);
  });
});

describe("an invoice that is owed", () => {
  const payments = () => requestsOf("POST /v1/invoices/:id/pay");

  it("is not paid again while a bank still has the payment on its way", async () => {
    const payer = await newPayer(site.sandboxOrigin, { card: "bank_account" });
    await play("requests/clear");
    await syncCustomer(payer.customer);
    await play(`customers/${payer.customer}/card`, { card: "4242424242424242" });
    await syncCustomer(payer.customer);
    expect(await payments()).toBe(0);
  });

  it("is left alone if the author has stopped its collection", async () => {
    const member = await newMember(site.sandboxOrigin);
    await play(`subscriptions/${member.subscription}/renew`, { outcome: "declined" });
    await stopCollection(member);
    await play(`customers/${member.customer}/card`, { card: "4242424242424242" });
    await play("requests/clear");
    await syncCustomer(member.customer);
    expect(await payments()).toBe(0);
    expect(await row(member)).toMatchObject({ stripeSubscriptionStatus: "past_due" });
  });
});

describe("an invoice of many lines", () => {
  it("pays the period that is on none of its first", async () => {
    const payer = await newPayer(site.sandboxOrigin);
    const { subscriptions, invoices } = stripeClient();
    const { data } = await subscriptions.list({
      customer: payer.customer,
      expand: ["data.latest_invoice.payments"],
    });
    const [subscription] = data;
    const invoice = subscription?.latest_invoice as Stripe.Invoice;
    const [period] = invoice.lines.data;
    if (!period) throw new Error("The invoice has no line.");
    const session = { ...period, pricing: null };
    const first = Array.from({ length: 10 }, () => session);
    const latest_invoice = { ...invoice, lines: { ...invoice.lines, data: first, has_more: true } };
    const pages = (items: unknown[]) => items as never;
    vi.spyOn(subscriptions, "list").mockReturnValue(pages([{ ...subscription, latest_invoice }]));
    vi.spyOn(invoices, "list").mockReturnValue(pages([latest_invoice]));
    vi.spyOn(invoices, "listLineItems").mockReturnValue(pages([...first, period]));
    await syncCustomer(payer.customer);
    expect(await hasAccess(payer)).toBe(true);
  });
});

describe("a refund", () => {
  it("in full ends access at once, until the next period is paid", async () => {
    const member = await newMember(site.sandboxOrigin);
    await play(`subscriptions/${member.subscription}/refund`);
    await syncCustomer(member.customer);
    expect(await hasAccess(member)).toBe(false);
    expect(await row(member)).toMatchObject({
      accessRevoked: "refund",
      stripeSubscriptionStatus: "active",
    });
    await play(`subscriptions/${member.subscription}/renew`, { outcome: "paid" });
    await syncCustomer(member.customer);
    expect(await hasAccess(member)).toBe(true);
  });

  it("that fails later restores access", async () => {
    const member = await newMember(site.sandboxOrigin);
    const refund = await play(`subscriptions/${member.subscription}/refund`);
    await syncCustomer(member.customer);
    expect(await hasAccess(member)).toBe(false);
    await play(`refunds/${refund.id}/fail`);
    await syncCustomer(member.customer);
    expect(await hasAccess(member)).toBe(true);
  });
});

describe("a dispute", () => {
  const dispute = (member: Payer, fields = {}) =>
    play(`subscriptions/${member.subscription}/dispute`, fields);
  const atStripe = (member: Payer) => stripeClient().subscriptions.retrieve(member.subscription);

  it("ends access at once, and pauses collection once while it is open", async () => {
    const member = await newMember(site.sandboxOrigin);
    await dispute(member);
    await play("requests/clear");
    await syncCustomer(member.customer);
    expect(await hasAccess(member)).toBe(false);
    expect((await row(member)).accessRevoked).toBe("dispute");
    expect((await atStripe(member)).pause_collection).toMatchObject({ behavior: "void" });
    for (const _again of [1, 2]) await syncCustomer(member.customer);
    expect(await requestsOf("POST /v1/subscriptions/:id")).toBe(1);

    await play(`subscriptions/${member.subscription}/renew`, { outcome: "draft" });
    await age(member, 1);
    const { data } = await stripeClient().invoices.list({ subscription: member.subscription });
    expect(data.map(({ status }) => status)).toEqual(["void", "paid"]);
  });

  it("that is won restores access and collection", async () => {
    const member = await newMember(site.sandboxOrigin);
    const { id } = await dispute(member);
    await syncCustomer(member.customer);
    await play(`disputes/${id}/close`, { won: true });
    await syncCustomer(member.customer);
    expect(await hasAccess(member)).toBe(true);
    expect(await row(member)).toMatchObject({ accessRevoked: null });
    expect((await atStripe(member)).pause_collection).toBeNull();
  });

  it("of an earlier payment ends access and retries; won, it restores all but what the author has stopped", async () => {
    for (const byAuthor of [false, true]) {
      const member = await newMember(site.sandboxOrigin);
      await play(`subscriptions/${member.subscription}/renew`, { outcome: "declined" });
      if (byAuthor) await stopCollection(member);
      const { id } = await dispute(member, { payment: "first" });
      await syncCustomer(member.customer);
      expect(await hasAccess(member)).toBe(false);
      expect(await latestInvoice(member)).toMatchObject({ status: "open", auto_advance: false });
      await play(`disputes/${id}/close`, { won: true });
      await syncCustomer(member.customer);
      expect((await latestInvoice(member))?.auto_advance).toBe(!byAuthor);
    }
  });

  it("that is lost ends the membership, so that its holder can buy again", async () => {
    const member = await newMember(site.sandboxOrigin);
    const { id } = await dispute(member);
    await syncCustomer(member.customer);
    await play(`disputes/${id}/close`, { won: false });
    await syncCustomer(member.customer);
    expect((await atStripe(member)).status).toBe("canceled");
    expect(await hasAccess(member)).toBe(false);
    expect(await startCheckout(member, SANDBOX_STRIPE.priceId)).toMatchObject({ kind: "checkout" });
  });

  it("ends access even when Stripe rejects the pause, which is retried soon", async () => {
    const member = await newMember(site.sandboxOrigin);
    await dispute(member);
    await play("faults", { kind: "error", match: "POST /v1/subscriptions/", status: 400 });
    await syncCustomer(member.customer);
    expect(await hasAccess(member)).toBe(false);
    expect((await atStripe(member)).pause_collection).toBeNull();
    const { syncDueAt } = await row(member);
    expect(syncDueAt?.getTime()).toBeLessThan(Date.now() + 6 * 60_000);
    await reconcile(new Date(Date.now() + 6 * 60_000));
    expect((await atStripe(member)).pause_collection).toMatchObject({ behavior: "void" });
  });

  it("leaves the author's own pause alone", async () => {
    const member = await newMember(site.sandboxOrigin);
    await stripeClient().subscriptions.update(member.subscription, {
      pause_collection: { behavior: "keep_as_draft" },
    });
    const { id } = await dispute(member);
    await syncCustomer(member.customer);
    expect((await atStripe(member)).pause_collection).toMatchObject({ behavior: "keep_as_draft" });
    await play(`disputes/${id}/close`, { won: true });
    await syncCustomer(member.customer);
    expect((await atStripe(member)).pause_collection).toMatchObject({ behavior: "keep_as_draft" });
  });
});

describe("the author", () => {
  function told(): () => unknown[] {
    const warn = vi.spyOn(log(), "warn");
    return () => warn.mock.calls.flatMap(([facts]) => ("event" in Object(facts) ? [facts] : []));
  }

  it("is notified of a dispute once, however many deliveries share a snapshot, and of a full refund", async () => {
    const member = await newMember(site.sandboxOrigin);
    const { id } = await play(`subscriptions/${member.subscription}/dispute`);
    const notices = told();
    await Promise.all([syncCustomer(member.customer), syncCustomer(member.customer)]);
    await syncCustomer(member.customer);
    expect(notices()).toMatchObject([{ event: "dispute-opened", userId: member.id }]);
    await play(`disputes/${id}/close`, { won: true });
    await syncCustomer(member.customer);
    expect(notices()[1]).toMatchObject({ event: "dispute-won", userId: member.id });

    await play(`subscriptions/${member.subscription}/refund`);
    for (const _sync of [1, 2]) await syncCustomer(member.customer);
    expect(notices().slice(2)).toMatchObject([{ event: "refunded", userId: member.id }]);
  });

  it("is notified even if Stripe fails right after the site has acted", async () => {
    const member = await newMember(site.sandboxOrigin);
    await play(`subscriptions/${member.subscription}/dispute`);
    const notices = told();
    const { subscriptions } = stripeClient();
    const update = subscriptions.update.bind(subscriptions);
    vi.spyOn(subscriptions, "update").mockImplementationOnce(async (id, parameters) => {
      const changed = await update(id, parameters as object);
      await play("faults", { kind: "error", status: 400, match: "GET /v1/subscriptions" });
      return changed;
    });
    await syncCustomer(member.customer);
    expect(await hasAccess(member)).toBe(false);
    await syncCustomer(member.customer);
    expect(notices()).toMatchObject([{ event: "dispute-opened", userId: member.id }]);
  });
});

describe("the author's other products", () => {
  it("neither give access nor prevent a purchase", async () => {
    const payer = await newReader();
    const first = await startCheckout(payer, SANDBOX_STRIPE.priceId);
    expect(first.kind).toBe("checkout");
    const { stripeCustomerId: customer } = await row(payer);
    await play(`customers/${customer}/subscribe`, { priceId: await coaching() });
    await syncCustomer(customer ?? "");
    expect(await hasAccess(payer)).toBe(false);
    expect(await row(payer)).toMatchObject({ stripeSubscriptionId: null });
    expect(await startCheckout(payer, SANDBOX_STRIPE.priceId)).toEqual(first);
  });

  it("can be disputed and refunded without effect here", async () => {
    const member = await newMember(site.sandboxOrigin);
    const other = await play(`customers/${member.customer}/subscribe`, {
      priceId: await coaching(),
    });
    await play(`subscriptions/${other.id}/dispute`);
    await syncCustomer(member.customer);
    expect(await hasAccess(member)).toBe(true);
  });
});

describe("events that Stripe could not deliver", () => {
  it("are processed by the timer, once", async () => {
    const member = await newMember(site.sandboxOrigin);
    await play("endpoints", {
      url: "http://127.0.0.1:9/webhooks/stripe",
      events: ["charge.refunded"],
    });
    await play(`subscriptions/${member.subscription}/refund`);
    expect(await processUndeliveredEvents()).toBeGreaterThan(0);
    expect(await hasAccess(member)).toBe(false);
    expect(await processUndeliveredEvents()).toBe(0);
    const [event] = (await stripeClient().events.list({ type: "charge.refunded" })).data;
    const payload = JSON.stringify(event);
    const { webhookSecret: secret } = SANDBOX_STRIPE;
    const signature = stripeClient().webhooks.generateTestHeaderString({ payload, secret });
    expect((await receiveWebhook(payload, signature)).message).toBe("Done before.");
  });
});
