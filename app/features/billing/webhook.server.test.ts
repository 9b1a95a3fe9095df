import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type LogLine, watchLog } from "../../../tests/support/log";
import { metricValue } from "../../../tests/support/metrics";
import { setEnvironment } from "../../env.server";
import { stripeClient } from "./stripe-client.server";
import { receiveWebhook } from "./webhook.server";

const SECRET = "whsec_ofThisTestAlone";

let lines: LogLine[];
beforeAll(() => {
  setEnvironment({
    // concatenated, because it looks like a secret
    STRIPE_SECRET_KEY: ["sk", "test", "ofThisTestAlone"].join("_"),
    STRIPE_PRICE_ID: "price_1",
    STRIPE_WEBHOOK_SECRET: SECRET,
    LOG_LEVEL: "silent",
  });
});
afterAll(() => setEnvironment({}));
beforeEach(() => {
  vi.useFakeTimers();
  lines = watchLog();
});
afterEach(() => {
  // the next rejection is the first of its minute
  vi.runAllTimers();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const NETWORK = "192.0.2.7";

const eventOf = (fields: object = {}) =>
  JSON.stringify({
    id: "evt_1",
    object: "event",
    created: Math.floor(Date.now() / 1_000),
    livemode: false,
    type: "customer.subscription.updated",
    data: { object: { id: "sub_1", customer: "cus_1" } },
    ...fields,
  });
const signatureOf = (payload: string, secret = SECRET) =>
  stripeClient().webhooks.generateTestHeaderString({ payload, secret });

const deliveries = (outcome: string) => metricValue("stripe_webhooks_total", { outcome });

describe("a delivery", () => {
  it.each<[string, object, (body: string) => string | null, object]>([
    ["without a signature", {}, () => null, { reason: "no signature" }],
    [
      "with the signature of another secret",
      {},
      (body) => signatureOf(body, "whsec_another"),
      { reason: "wrong signature" },
    ],
    [
      "of live mode with a test key",
      { livemode: true },
      (body) => signatureOf(body),
      {
        reason: "livemode mismatch",
        event: "evt_1",
        type: "customer.subscription.updated",
        livemode: true,
      },
    ],
  ])("%s is rejected, counted and logged with its network", async (_name, fields, sign, facts) => {
    const body = eventOf(fields);
    const before = await deliveries("refused");
    expect((await receiveWebhook(body, sign(body), NETWORK)).status).toBe(400);
    expect(await deliveries("refused")).toBe(before + 1);
    expect(lines.filter(({ facts }) => "security" in facts)).toEqual([
      {
        level: "warn",
        message: expect.stringContaining("webhook rejected"),
        facts: { security: "webhook-refused", network: NETWORK, ...facts },
      },
    ]);
  });
});
