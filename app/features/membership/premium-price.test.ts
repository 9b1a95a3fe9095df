import { describe, expect, it } from "vitest";
import { PREMIUM_PRICE, periodText, priceText, shownPrice } from "./premium-price";

describe("the price of premium", () => {
  it("is $9.99 per month until another is set", () => {
    expect(shownPrice(PREMIUM_PRICE)).toEqual({ amount: "$9.99", period: "per month" });
  });

  it("is not shown if it is not a fixed amount, or its currency is not a three-letter code", () => {
    const monthly = { interval: "month", intervalCount: 1 };
    expect(shownPrice({ ...monthly, unitAmount: null, currency: "usd" })).toBeNull();
    expect(shownPrice({ ...monthly, unitAmount: 999, currency: "usdc" })).toBeNull();
  });
});

describe("an amount", () => {
  it.each([
    [999, "usd", "$9.99"],
    [123_456, "usd", "$1,234.56"],
    [1_200, "jpy", "¥1,200"],
    [9_990, "kwd", "KWD\u00a09.990"],
    [3_500_000, "ugx", "UGX\u00a035,000"],
    [0, "usd", "$0.00"],
  ])("of %i in %s is shown as %s", (unitAmount, currency, text) => {
    expect(priceText({ unitAmount, currency })).toBe(text);
  });
});

describe("a period", () => {
  it.each([
    ["month", 1, "per month"],
    ["year", 1, "per year"],
    ["month", 3, "every 3 months"],
    ["week", 2, "every 2 weeks"],
  ])("of interval '%s' and count %i is shown as '%s'", (interval, intervalCount, text) => {
    expect(periodText({ interval, intervalCount })).toBe(text);
  });
});
