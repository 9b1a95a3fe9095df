import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SANDBOX_STRIPE, setEnvironment } from "~/env.server";
import { unlinkCustomer } from "~/features/billing/reconcile.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { siteMark } from "~/features/billing/stripe-site.server";
import { isSubscribed } from "~/features/membership/access";
import { action as billing } from "~/routes/billing/route";
import { action as checkout } from "~/routes/checkout/route";
import { loader as success } from "~/routes/checkout_.success/route";
import { action as webhook } from "~/routes/webhooks.stripe/route";
import { findOpenAlerts } from "~db/queries/operator-alerts";
import { findProfile } from "~db/queries/profiles";
import {
  control,
  liveSubscription,
  newReader,
  type Reader,
  requestCounts,
  untilWebhooksSettled,
} from "../support/payments";
import { call, flashOf, get, ORIGIN, post } from "../support/routes";
import { SESSION_SECRET } from "../support/session-secret";
import { testSite } from "../support/site";

const site = testSite({ payments: { webhook: (request) => call(webhook, request) } });

let reader: Reader;
beforeEach(async () => {
  reader = await newReader();
});
afterEach(async () => {
  await control(site.sandboxOrigin, "requests/clear");
  await control(site.sandboxOrigin, "webhooks", { mode: "deliver" });
});

const priceId = SANDBOX_STRIPE.priceId;
const fault = (fields: Record<string, unknown>) => control(site.sandboxOrigin, "faults", fields);

async function upgrade(who = reader) {
  const answer = await post(checkout, { json: { priceId }, cookie: who.cookie });
  return { status: answer.status, body: (await answer.json()) as Record<string, string | null> };
}

async function pay(sessionId: string | null | undefined, fields: Record<string, unknown> = {}) {
  await control(site.sandboxOrigin, `sessions/${sessionId}/pay`, fields);
  await untilWebhooksSettled(site.sandboxOrigin);
}

const hasAccess = async (who = reader) => isSubscribed(await findProfile(who.id), new Date());

async function openSessions(who = reader) {
  const customer = (await findProfile(who.id))?.stripeCustomerId ?? "";
  return (await stripeClient().checkout.sessions.list({ customer, status: "open" })).data;
}

describe("starting a checkout", () => {
  it("answers a form post with a 303 to the payment page", async () => {
    const answer = await post(checkout, { form: { priceId }, cookie: reader.cookie });
    expect(answer.status).toBe(303);
    expect(new URL(answer.headers.get("Location") ?? "").port).toBe(
      new URL(site.sandboxOrigin).port,
    );
  });

  it("passes Stripe the user, the configured price and the return addresses, braces unencoded", async () => {
    const { body } = await upgrade();
    const session = await stripeClient().checkout.sessions.retrieve(body.sessionId ?? "", {
      expand: ["line_items"],
    });
    const profile = await findProfile(reader.id);
    expect(session).toMatchObject({
      mode: "subscription",
      customer: profile?.stripeCustomerId,
      client_reference_id: reader.id,
      metadata: { userId: reader.id, priceId, ...(await siteMark()) },
      success_url: `${ORIGIN}/checkout/success?session_id={CHECKOUT_SESSION_ID}`,
      cancel_url: `${ORIGIN}/checkout/cancelled`,
    });
    const items = session.line_items?.data.map(({ price, quantity }) => [price?.id, quantity]);
    expect(items).toEqual([[priceId, 1]]);
    expect(profile).toMatchObject({
      stripeCheckoutSessionId: session.id,
      checkoutOpenedAt: expect.any(Date),
      syncDueAt: expect.any(Date),
    });
    await pay(session.id);
    const subscription = await stripeClient().subscriptions.retrieve(
      await liveSubscription(reader),
    );
    expect(subscription.metadata).toEqual({ userId: reader.id, ...(await siteMark()) });
  });

  it("reuses the open session of a customer that the row has lost", async () => {
    const former = await upgrade();
    await control(site.sandboxOrigin, `sessions/${former.body.sessionId}/expire`);
    const latest = await upgrade();
    await unlinkCustomer(reader.id);
    expect((await upgrade()).body.sessionId).toBe(latest.body.sessionId);
    expect((await openSessions()).map(({ id }) => id)).toEqual([latest.body.sessionId]);
  });

  it("expires an open session at a former price, so that only one can be paid", async () => {
    const first = (await upgrade()).body.sessionId ?? "";
    const { sessions } = stripeClient().checkout;
    await sessions.update(first, { metadata: { priceId: "price_former" } });
    const { body } = await upgrade();
    expect(body.sessionId).not.toBe(first);
    expect((await openSessions()).map(({ id }) => id)).toEqual([body.sessionId]);
  });

  it("waits for another process's same call, which Stripe is still processing", async () => {
    // twice, as Stripe's library retries the call once
    await fault({ kind: "error", status: 409, match: "POST /v1/checkout/sessions", times: 2 });
    // that does not count as one of the three tries
    await fault({ kind: "error", status: 500, match: "POST /v1/checkout/sessions", times: 2 });
    expect((await upgrade()).status).toBe(200);
    expect((await findProfile(reader.id))?.checkoutFailures).toBe(2);
  });

  it.each(["GET /v1/checkout/sessions", "POST /v1/checkout/sessions/"])(
    "opens no second session when %s fails",
    async (match) => {
      const first = (await upgrade()).body.sessionId ?? "";
      await stripeClient().checkout.sessions.update(first, { metadata: { priceId: "former" } });
      await fault({ kind: "error", status: 403, match });
      expect((await upgrade()).status).toBe(503);
      expect((await openSessions()).map(({ id }) => id)).toEqual([first]);
    },
  );

  it("rejects signed-out visitors, as form and as JSON", async () => {
    const asFetch = await post(checkout, { json: { priceId } });
    expect(asFetch.status).toBe(401);
    expect(await asFetch.json()).toEqual({ error: "User not authenticated." });
    const asForm = await post(checkout, { form: { priceId } });
    expect(asForm.headers.get("Location")).toBe("/#upgrade");
    expect((await flashOf(asForm))?.toast).toMatchObject({
      title: "Authentication Required",
      description: "Please log in or sign up to upgrade.",
      variant: "destructive",
    });
  });

  it.each([undefined, "price_cheaper", "", ["price_a", "price_b"]])(
    "never sells at the price %j forged by a browser",
    async (posted) => {
      const answer = await post(checkout, { json: { priceId: posted }, cookie: reader.cookie });
      expect(answer.status).toBe(409);
      const counts = await requestCounts(site.sandboxOrigin);
      expect(counts["POST /v1/checkout/sessions"]).toBeUndefined();
    },
  );

  it("creates one customer and one open session for fifty simultaneous clicks", async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => upgrade()));
    expect(new Set(answers.map(({ body }) => body.sessionId)).size).toBe(1);
    expect(await openSessions()).toHaveLength(1);
    const counts = await requestCounts(site.sandboxOrigin);
    expect(counts["POST /v1/customers"]).toBe(1);
    expect(counts["POST /v1/checkout/sessions"]).toBe(1);
  });

  it("creates a customer again that was deleted at Stripe", async () => {
    await upgrade();
    const before = (await findProfile(reader.id))?.stripeCustomerId;
    await control(site.sandboxOrigin, `customers/${before}/delete`);
    const { status } = await upgrade();
    expect(status).toBe(200);
    expect((await findProfile(reader.id))?.stripeCustomerId).not.toBe(before);
  });

  it.each([
    ["refuses connections", { kind: "destroy" }],
    ["answers 500", { kind: "error", status: 500 }],
    ["breaks off its answers", { kind: "truncate" }],
  ])("reports that the payment service did not answer when Stripe %s", async (_how, kind) => {
    await fault({ ...kind, times: 0 });
    const asFetch = await upgrade();
    expect(asFetch).toEqual({
      status: 502,
      body: { error: "The payment service didn’t respond. Please try again." },
    });
    const asForm = await post(checkout, { form: { priceId }, cookie: reader.cookie });
    expect((await flashOf(asForm))?.toast).toEqual({
      title: "Checkout Error",
      description: "Error invoking function: The payment service didn’t respond. Please try again.",
      variant: "destructive",
    });
  });

  const setting = (fields: Record<string, boolean>) =>
    control(site.sandboxOrigin, "settings", fields);
  const product = (active: boolean) =>
    stripeClient().products.update(SANDBOX_STRIPE.productId, { active });

  it.each<[string, (isRight: boolean) => Promise<unknown>, Record<string, string>, string]>([
    [
      "the tax address is missing",
      (hasTaxAddress) => setting({ hasTaxAddress }),
      { STRIPE_AUTOMATIC_TAX: "true" },
      "You must have a valid head office address",
    ],
    [
      "the terms are missing",
      (hasTermsUrl) => setting({ hasTermsUrl }),
      { STRIPE_TERMS_CONSENT: "true" },
      "You cannot collect consent to your terms of service",
    ],
    ["the product is archived", product, {}, "its product is not active"],
  ])("is refused while %s, and works at once when that is mended", async (_what, set, ...more) => {
    const [settings, answer] = more;
    site.restoreEnvironment(settings);
    await set(false);
    const message = "This site can’t take payments right now. Nothing was charged.";
    expect(await upgrade()).toEqual({ status: 503, body: { error: message } });
    expect((await upgrade()).status).toBe(503);
    const alert = async () =>
      (await findOpenAlerts()).find(({ kind }) => kind === "checkout-refused")?.facts;
    expect(await alert()).toEqual({ answer: expect.stringContaining(answer), opened: 0 });

    await set(true);
    expect((await upgrade()).body.sessionId).toMatch(/^cs_test_/);
    expect(await alert()).toMatchObject({ opened: 1 });
    expect(await openSessions()).toHaveLength(1);
    const { data } = await stripeClient().customers.list({ email: reader.email });
    expect(data).toHaveLength(1);
  });

  it("names no address to the operator that Stripe quotes", async () => {
    const message = "Invalid email address: reader@example.com";
    await fault({ kind: "error", status: 400, message, match: "POST /v1/customers" });
    expect((await upgrade()).status).toBe(503);
    const [alert] = (await findOpenAlerts()).filter(({ kind }) => kind === "checkout-refused");
    expect(alert?.facts.answer).toBe("Invalid email address: [redacted]");
    expect((await upgrade()).status).toBe(200);
  });

  it("reports that payments are not configured", async () => {
    setEnvironment({ SESSION_SECRET, LOG_LEVEL: "silent" });
    const answer = await post(checkout, { json: { priceId }, cookie: reader.cookie });
    site.restoreEnvironment();
    expect(answer.status).toBe(503);
    expect(await answer.json()).toEqual({
      error: "Payments are not configured on this site yet.",
    });
  });
});

describe("a payment", () => {
  it("gives access through the webhook alone, when the tab was closed at Stripe", async () => {
    const { body } = await upgrade();
    expect(await hasAccess()).toBe(false);
    await pay(body.sessionId);
    expect(await hasAccess()).toBe(true);
  });

  it("gives access through the success page alone, when every webhook is lost", async () => {
    await control(site.sandboxOrigin, "webhooks", { mode: "drop" });
    const { body } = await upgrade();
    await pay(body.sessionId);
    expect(await hasAccess()).toBe(false);
    const page = await get(
      success,
      `/checkout/success?session_id=${body.sessionId}`,
      reader.cookie,
    );
    expect(await page.json()).toMatchObject({ state: "member" });
    expect(await hasAccess()).toBe(true);
  });

  it("is being confirmed while Stripe does not answer, never an error", async () => {
    await control(site.sandboxOrigin, "webhooks", { mode: "drop" });
    const { body } = await upgrade();
    await pay(body.sessionId);
    await fault({ kind: "destroy", times: 0 });
    const page = await get(
      success,
      `/checkout/success?session_id=${body.sessionId}`,
      reader.cookie,
    );
    expect(await page.json()).toMatchObject({ state: "confirming" });
    expect(await hasAccess()).toBe(false);
  });

  it("gives access only once a delayed payment has arrived", async () => {
    const { body } = await upgrade();
    await pay(body.sessionId, { card: "bank_account" });
    const path = `/checkout/success?session_id=${body.sessionId}`;
    expect(await (await get(success, path, reader.cookie)).json()).toMatchObject({
      state: "confirming",
    });
    expect(await hasAccess()).toBe(false);
    await control(site.sandboxOrigin, `sessions/${body.sessionId}/settle`);
    await untilWebhooksSettled(site.sandboxOrigin);
    expect(await hasAccess()).toBe(true);
  });

  it("gives no access, and no message, for another person's session id", async () => {
    const { body } = await upgrade();
    await pay(body.sessionId);
    const other = await newReader();
    for (const id of [body.sessionId, "cs_test_madeUp", "../../etc", "", "x".repeat(3_000)]) {
      const page = await get(success, `/checkout/success?session_id=${id}`, other.cookie);
      expect(page.status).toBe(302);
      expect(page.headers.get("Location")).toBe("/#purchase");
    }
    expect(await hasAccess(other)).toBe(false);
  });

  it("signs nobody in", async () => {
    const { body } = await upgrade();
    await pay(body.sessionId);
    const page = await get(success, `/checkout/success?session_id=${body.sessionId}`);
    expect(page.headers.get("Location")).toBe(
      `/auth?leads-to=${encodeURIComponent(`/checkout/success?session_id=${body.sessionId}`)}`,
    );
    expect(page.headers.getSetCookie()).toEqual([]);
  });

  it("redirects a member who clicks again to the portal, without a second subscription", async () => {
    const { body } = await upgrade();
    await pay(body.sessionId);
    const again = await upgrade();
    expect(again.body.sessionId).toBeNull();
    expect(again.body.url).toContain(site.sandboxOrigin.split(":").at(-1));
    expect(await openSessions()).toHaveLength(0);
  });

  it("lets a former member subscribe again", async () => {
    const { body } = await upgrade();
    await pay(body.sessionId);
    await control(site.sandboxOrigin, `subscriptions/${await liveSubscription(reader)}/cancel`);
    const again = await upgrade();
    expect(again.body.sessionId).toMatch(/^cs_test_/);
    await pay(again.body.sessionId);
    expect(await hasAccess()).toBe(true);
  });
});

describe("the portal", () => {
  it("reports that there is nothing to manage for an account that never opened a checkout", async () => {
    const answer = await post(billing, { form: {}, cookie: reader.cookie });
    expect((await flashOf(answer))?.toast?.title).toBe("Checkout Error");
  });

  it("asks a visitor to sign in", async () => {
    const answer = await post(billing, { form: {} });
    expect(answer.headers.get("Location")).toBe("/auth");
  });
});
