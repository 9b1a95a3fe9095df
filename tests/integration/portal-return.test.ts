import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { withCallPurpose } from "~/features/billing/call-purpose.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { syncCustomer } from "~/features/billing/sync-customer.server";
import { isSubscribed } from "~/features/membership/access";
import { loader as billing } from "~/routes/billing/route";
import { action as checkout } from "~/routes/checkout/route";
import { action as webhook } from "~/routes/webhooks.stripe/route";
import { findProfile } from "~db/queries/profiles";
import { watchLog } from "../support/log";
import {
  control,
  liveSubscription,
  newReader,
  type Reader,
  untilWebhooksSettled,
} from "../support/payments";
import { call, get, ORIGIN, post } from "../support/routes";
import { testSite } from "../support/site";

const site = testSite({
  payments: { webhook: (request) => call(webhook, request) },
  variables: { RATE_LIMIT_FACTOR: "0.1" },
});
let reader: Reader;
beforeEach(async () => {
  reader = await newReader();
});
afterEach(async () => {
  await control(site.sandboxOrigin, "webhooks", { mode: "deliver" });
});

async function becomeMember() {
  const answer = await post(checkout, {
    json: { priceId: SANDBOX_STRIPE.priceId },
    cookie: reader.cookie,
  });
  const { sessionId } = (await answer.json()) as { sessionId: string };
  await control(site.sandboxOrigin, `sessions/${sessionId}/pay`);
  await untilWebhooksSettled(site.sandboxOrigin);
}

/** Cancels the membership at Stripe without a webhook, as in the portal while webhooks are late. */
async function cancelWithoutWebhook() {
  await control(site.sandboxOrigin, "webhooks", { mode: "drop" });
  await stripeClient().subscriptions.cancel(await liveSubscription(reader));
}

const comeBack = () => get(billing, "/billing", reader.cookie);
const whereTo = (answer: Response) => answer.headers.get("Location");
const isMember = async () => isSubscribed(await findProfile(reader.id), new Date());

async function requestsToStripe(): Promise<unknown[]> {
  const { requests } = await control<{ requests: unknown[] }>(
    site.sandboxOrigin,
    "requests",
    undefined,
    "GET",
  );
  return requests;
}

describe("the return from the portal", () => {
  it("redirects a member to the members' area, and is not cached", async () => {
    await becomeMember();
    const answer = await comeBack();
    expect(answer.status).toBe(302);
    expect(whereTo(answer)).toBe("/premium");
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
  });

  it("shows changes made there before any webhook arrives", async () => {
    await becomeMember();
    await cancelWithoutWebhook();
    expect(await isMember()).toBe(true);
    expect(whereTo(await comeBack())).toBe("/#purchase");
    expect(await isMember()).toBe(false);
  });

  it("waits a few seconds for a slow Stripe, then continues, and shows the change later", async () => {
    await becomeMember();
    await cancelWithoutWebhook();
    await control(site.sandboxOrigin, "faults", {
      kind: "slow",
      ms: 6_000,
      times: 1,
      match: "GET /v1/subscriptions",
    });
    expect(whereTo(await comeBack())).toBe("/premium");
    await expect.poll(isMember).toBe(false);
  });

  it("waits for a new card with which a webhook's sync is paying", async () => {
    await becomeMember();
    const subscription = await liveSubscription(reader);
    await control(site.sandboxOrigin, "webhooks", { mode: "drop" });
    await control(site.sandboxOrigin, `subscriptions/${subscription}/renew`, {
      outcome: "declined",
    });
    const customer = (await findProfile(reader.id))?.stripeCustomerId ?? "";
    await control(site.sandboxOrigin, `customers/${customer}/card`, { card: "4242424242424242" });
    await control(site.sandboxOrigin, "faults", {
      kind: "slow",
      ms: 500,
      times: 1,
      match: "POST /v1/invoices",
    });
    const webhookSync = withCallPurpose("webhook", () => syncCustomer(customer));
    const metadata = async () =>
      (await stripeClient().subscriptions.retrieve(subscription)).metadata;
    await expect.poll(metadata, { interval: 20 }).toHaveProperty("tried_payment_method");
    await comeBack();
    expect((await findProfile(reader.id))?.stripeSubscriptionStatus).toBe("active");
    await webhookSync;
  });

  it("uses the row while Stripe is down", async () => {
    await becomeMember();
    await control(site.sandboxOrigin, "faults", {
      kind: "error",
      times: 0,
      match: "GET /v1/subscriptions",
    });
    const lines = watchLog();
    expect(whereTo(await comeBack())).toBe("/premium");
    vi.restoreAllMocks();
    expect(lines.filter(({ level }) => level === "error")).toMatchObject([
      {
        message: "the return from the portal could not be synced",
        facts: { userId: reader.id, err: { statusCode: 500 } },
      },
    ]);
  });

  it("makes no Stripe call for strangers, readers who never paid, and prefetches", async () => {
    await becomeMember();
    const { cookie } = await newReader();
    await control(site.sandboxOrigin, "requests/clear");
    expect(whereTo(await get(billing, "/billing"))).toBe("/#purchase");
    expect(whereTo(await get(billing, "/billing", cookie))).toBe("/#purchase");
    const headers = { Cookie: reader.cookie };
    for (const ahead of [
      new Request(`${ORIGIN}/billing`, { headers: { ...headers, "Sec-Purpose": "prefetch" } }),
      new Request(`${ORIGIN}/billing`, { headers, method: "HEAD" }),
    ]) {
      expect(whereTo(await call(billing, ahead))).toBe("/premium");
    }
    expect(await requestsToStripe()).toEqual([]);
  });

  it("syncs within the hourly limit, six here, and then uses the row", async () => {
    await becomeMember();
    for (let visit = 0; visit < 6; visit++) expect(whereTo(await comeBack())).toBe("/premium");
    await cancelWithoutWebhook();
    expect(whereTo(await comeBack())).toBe("/premium");
  });
});
