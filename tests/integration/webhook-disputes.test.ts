import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { receiveWebhook } from "~/features/billing/webhook.server";
import { getDatabase } from "~db/client";
import { ensureProfile, updateProfile } from "~db/queries/profiles";
import { operatorAlerts } from "~db/schema";
import { newReader } from "../support/payments";
import { type RecordingStripe, startRecordingStripe } from "../support/recording-stripe";
import { openTestSite, type TestSite } from "../support/site";

const SECRET = "whsec_0123456789abcdef";

let site: TestSite;
let stripe: RecordingStripe;
beforeAll(async () => {
  site = await openTestSite();
  stripe = await startRecordingStripe({
    SESSION_SECRET: "a secret that signs the cookies of tests only",
    STRIPE_PRICE_ID: "price_1",
    STRIPE_WEBHOOK_SECRET: SECRET,
  });
  const { id } = await newReader();
  await ensureProfile(id);
  await updateProfile(id, { stripeCustomerId: "cus_1" });
});
afterAll(async () => {
  stripe.close();
  await site.close();
});

const list = (...data: object[]) => ({
  status: 200,
  fields: { object: "list", data, has_more: false },
});
const dispute = (id: string, status = "warning_needs_response") => ({
  id,
  object: "dispute",
  charge: "ch_1",
  status,
  created: 1,
});

beforeEach(async () => {
  const product = { id: "price_1", product: "prod_1", unit_amount: 999, currency: "usd" };
  stripe.reset();
  stripe.answers = {
    "GET /v1/prices/price_1": { status: 200, fields: product },
    "GET /v1/products": list(),
    "GET /v1/subscriptions": list(),
    "GET /v1/charges": list(),
    "GET /v1/charges/ch_1": { status: 200, fields: { id: "ch_1", customer: "cus_1" } },
  };
  await getDatabase().db.execute(sql`truncate operator_matters`);
});

let count = 0;

/** Delivers an event about a dispute of that charge; resolves to its id and the response's status. */
async function deliver(disputeId: string, type = "charge.dispute.created") {
  const id = `evt_dispute_${++count}`;
  const payload = JSON.stringify({
    id,
    object: "event",
    created: Math.floor(Date.now() / 1_000),
    livemode: false,
    type,
    data: { object: { id: disputeId, object: "dispute", charge: "ch_1" } },
  });
  const signature = stripeClient().webhooks.generateTestHeaderString({ payload, secret: SECRET });
  const { status } = await receiveWebhook(payload, signature);
  return { id, status };
}

const isInLedger = async (id: string) =>
  (await getDatabase().db.execute(sql`select from webhook_events where id = ${id}`)).length > 0;
const alerts = async () =>
  (await getDatabase().db.select({ facts: operatorAlerts.facts }).from(operatorAlerts)).map(
    ({ facts }) => facts,
  );

describe("an event about a dispute that changes no access", () => {
  it("alerts the operator to that very dispute, as it is at Stripe now", async () => {
    stripe.answers["GET /v1/disputes"] = list(dispute("dp_1"), dispute("dp_2"), dispute("dp_3"));
    const { id, status } = await deliver("dp_2");
    expect(status).toBe(200);
    expect(await isInLedger(id)).toBe(true);
    expect(await alerts()).toEqual([{ dispute: "dp_2", charge: "ch_1" }]);
    expect(stripe.calls).toContainEqual("GET /v1/disputes?charge=ch_1&limit=100");
  });

  it.each([
    ["not listed", list(dispute("dp_1"))],
    [
      "of a charge that Stripe has no more",
      { status: 404, error: { type: "invalid_request_error", code: "resource_missing" } },
    ],
  ])("that is %s is only recorded", async (_name, answer) => {
    stripe.answers["GET /v1/disputes"] = answer;
    const { id, status } = await deliver("dp_2");
    expect(status).toBe(200);
    expect(await isInLedger(id)).toBe(true);
    expect(await alerts()).toEqual([]);
  });

  it("is left for Stripe to retry if Stripe fails", async () => {
    stripe.answers["GET /v1/disputes"] = { status: 500, error: { type: "api_error" } };
    const { id, status } = await deliver("dp_2");
    expect(status).toBe(500);
    expect(await isInLedger(id)).toBe(false);
    expect(await alerts()).toEqual([]);
  });
});
