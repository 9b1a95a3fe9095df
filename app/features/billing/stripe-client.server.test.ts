import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Stripe from "stripe";
import { afterEach, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { metricValue } from "../../../tests/support/metrics";
import {
  isInvalidRequest,
  isMissingAtStripe,
  PaymentsNotConfigured,
  requireStripe,
  stripeClient,
} from "./stripe-client.server";

afterEach(() => setEnvironment({}));

function configure(variables: Record<string, string>) {
  const settings = { STRIPE_SECRET_KEY: "sk_test_client", LOG_LEVEL: "silent", ...variables };
  setEnvironment(settings, { partialStripe: true });
}

async function listen(answer: (headers: IncomingHttpHeaders) => void) {
  const server: Server = createServer((request, response) => {
    answer(request.headers);
    response.writeHead(200, { "Content-Type": "application/json", "Request-Id": "req_1" });
    response.end(JSON.stringify({ object: "list", data: [], has_more: false }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

describe("a site without Stripe's keys", () => {
  it("has no calls that wait", async () => {
    expect(await metricValue("stripe_call_queue_length")).toBe(0);
  });

  it("says that payments are not configured", () => {
    setEnvironment({});
    for (const ask of [requireStripe, stripeClient]) {
      expect(ask).toThrow(PaymentsNotConfigured);
      expect(ask).toThrow("Payments are not configured on this site yet.");
    }
  });
});

describe("a site with all of Stripe's keys", () => {
  it("has its settings at hand", () => {
    configure({ STRIPE_PRICE_ID: "price_1", STRIPE_WEBHOOK_SECRET: "whsec_1" });
    expect(requireStripe()).toMatchObject({
      secretKey: "sk_test_client",
      priceId: "price_1",
      webhookSecrets: ["whsec_1"],
    });
  });
});

describe("Stripe's client", () => {
  it("is shared until the settings change", () => {
    configure({});
    const first = stripeClient();
    expect(stripeClient()).toBe(first);
    configure({ STRIPE_CALLS_PER_SECOND: "3" });
    expect(stripeClient()).not.toBe(first);
  });

  it("tells Stripe who calls, and nothing about the calls before", async () => {
    const headers: IncomingHttpHeaders[] = [];
    const server = await listen((sent) => headers.push(sent));
    try {
      configure({ STRIPE_API_BASE: server.origin });
      await stripeClient().customers.list();
      await stripeClient().customers.list();
    } finally {
      server.close();
    }
    expect(headers).toHaveLength(2);
    for (const sent of headers) {
      expect(sent["user-agent"]).toContain("the-golden-path");
      expect(sent).not.toHaveProperty("x-stripe-client-telemetry");
    }
  });

  it.each([
    ["http://127.77.0.1", 80],
    ["https://127.77.0.1", 443],
    ["http://127.77.0.1:1", 1],
  ])("of %s calls port %i", async (base, port) => {
    configure({ STRIPE_API_BASE: base });
    const failure = await stripeClient()
      .customers.list({}, { maxNetworkRetries: 0 })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Stripe.errors.StripeConnectionError);
    expect(failure).toMatchObject({ detail: { address: "127.77.0.1", port } });
  });

  it("reports how many of its calls wait", async () => {
    const server = await listen(() => {});
    try {
      configure({ STRIPE_API_BASE: server.origin, STRIPE_CALLS_PER_SECOND: "10" });
      const calls = Array.from({ length: 4 }, () => stripeClient().customers.list());
      await expect.poll(() => metricValue("stripe_call_queue_length")).toBeGreaterThan(0);
      await Promise.all(calls);
      expect(await metricValue("stripe_call_queue_length")).toBe(0);
    } finally {
      server.close();
    }
  });
});

describe("what Stripe's errors mean", () => {
  const { StripeInvalidRequestError, StripeAPIError } = Stripe.errors;
  const missing = { code: "resource_missing", param: "customer", message: "No such customer" };

  it("an invalid request is one of its own kind", () => {
    expect(isInvalidRequest(new StripeInvalidRequestError({ message: "Wrong" } as never))).toBe(
      true,
    );
    expect(isInvalidRequest(new StripeAPIError(missing as never))).toBe(false);
    expect(isInvalidRequest(new Error("Wrong"))).toBe(false);
  });

  it("an object is missing if Stripe says so, and of that parameter if one is asked for", () => {
    const error = new StripeInvalidRequestError(missing as never);
    expect(isMissingAtStripe(error)).toBe(true);
    expect(isMissingAtStripe(error, "customer")).toBe(true);
    expect(isMissingAtStripe(error, "price")).toBe(false);
    const other = { ...missing, code: "parameter_invalid_empty" };
    expect(isMissingAtStripe(new StripeInvalidRequestError(other as never))).toBe(false);
    expect(isMissingAtStripe(new StripeAPIError(missing as never))).toBe(false);
    expect(isMissingAtStripe(null)).toBe(false);
  });
});
