import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SANDBOX_STRIPE, setEnvironment } from "~/env.server";
import { loadPriceOnSale } from "~/features/billing/load-price-on-sale.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import {
  isPriceOnSaleKnown,
  onPriceOnSaleKnown,
  shownPriceOnSale,
} from "~/features/membership/price-on-sale.server";
import { findStripePrice } from "~db/queries/stripe-prices";
import { openAlteredStripe } from "../support/altered-stripe";
import { EFFECT_TIMEOUT } from "../support/effect-timeout.mjs";
import { type LogLine, watchLog } from "../support/log";
import { control, requestCounts, stripeSettings } from "../support/payments";
import { testSite } from "../support/site";

const site = testSite({ payments: {} });

let stop: (() => void) | undefined;
let lines: LogLine[];
let priceId: string;

/** Sells at the price, of the Stripe at an address. */
const sellAt = (origin: string) =>
  setEnvironment({
    ...stripeSettings(origin, priceId),
    LOG_LEVEL: "silent",
  });

beforeEach(async () => {
  const { id } = await stripeClient().prices.create({
    product: SANDBOX_STRIPE.productId,
    currency: "eur",
    unit_amount: 2_500,
    recurring: { interval: "year" },
  });
  priceId = id;
  sellAt(site.sandboxOrigin);
  await control(site.sandboxOrigin, "requests/clear");
  // a test that stops the clock needs an open connection
  await findStripePrice(priceId);
  lines = watchLog();
});
afterEach(async () => {
  stop?.();
  stop = undefined;
});

const fault = (fields: Record<string, unknown>) =>
  control(site.sandboxOrigin, "faults", { match: "GET /v1/prices", ...fields });

/** The number of requests to Stripe for the price. */
const requests = async () => (await requestCounts(site.sandboxOrigin))["GET /v1/prices/:id"] ?? 0;

/** Waits until a condition holds. Unlike `expect.poll`, it does not advance a stopped clock. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + EFFECT_TIMEOUT.timeout;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error("It has not become so.");
    await setImmediate();
  }
}

const stopClock = () => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
const SHOWN = { amount: "€25.00", period: "per year" };

describe("the price on sale, when the site starts", () => {
  it("is loaded from Stripe, and from the database at the next start", async () => {
    expect(isPriceOnSaleKnown()).toBe(false);
    const clearPages = vi.fn();
    onPriceOnSaleKnown(clearPages);
    (await loadPriceOnSale())();
    expect(shownPriceOnSale()).toEqual(SHOWN);
    expect(clearPages).toHaveBeenCalledOnce();
    (await loadPriceOnSale())();
    expect(await requests()).toBe(1);
    expect(lines).toEqual([]);
  });

  it("is retried after 2, 10, 60 and 60 seconds, until it is known", async () => {
    await fault({ kind: "error", status: 403, times: 4 });
    stopClock();
    stop = await loadPriceOnSale();
    const delays = [2_000, 10_000, 60_000, 60_000];
    for (const [index, delay] of delays.entries()) {
      expect(lines.slice(index)).toMatchObject([
        { level: "error", facts: { err: { statusCode: 403 }, retryInMs: delay } },
      ]);
      await vi.advanceTimersByTimeAsync(delay - 1);
      expect(await requests()).toBe(index + 1);
      expect(shownPriceOnSale()).toBeNull();
      vi.advanceTimersByTime(1);
      await until(() => lines.length > index + 1 || isPriceOnSaleKnown());
    }
    expect(shownPriceOnSale()).toEqual(SHOWN);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await requests()).toBe(5);
  });

  it("delays the start by at most 3 seconds, and is shown when it arrives", async () => {
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    sellAt(await openAlteredStripe(site.sandboxOrigin, () => held));
    stopClock();
    const started = vi.fn();
    const start = loadPriceOnSale().then(started);
    await vi.advanceTimersByTimeAsync(2_999);
    expect(started).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await start;
    expect(started).toHaveBeenCalledOnce();
    expect(isPriceOnSaleKnown()).toBe(false);
    answer();
    await until(isPriceOnSaleKnown);
    expect(shownPriceOnSale()).toEqual(SHOWN);
    expect(lines).toEqual([]);
  });

  it("is not retried once the site stops", async () => {
    await fault({ kind: "error", status: 403, times: 0 });
    stopClock();
    stop = await loadPriceOnSale();
    stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await requests()).toBe(1);
  });

  it("is not retried when the site stops during a request to Stripe", async () => {
    await fault({ kind: "error", status: 403, times: 0 });
    stopClock();
    stop = await loadPriceOnSale();
    expect(lines).toHaveLength(1);
    vi.advanceTimersByTime(2_000);
    stop();
    await until(async () => (await requests()) === 2);
    await stripeClient().products.retrieve(SANDBOX_STRIPE.productId);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await requests()).toBe(2);
    expect(lines).toHaveLength(1);
  });
});
