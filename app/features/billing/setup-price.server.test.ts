import { describe, expect, it } from "vitest";
import { describePrice } from "./setup-price.server";

describe("a price in words", () => {
  it.each([
    [{ unitAmount: 1_250, currency: "eur", interval: "month" }, 1, "12.50 eur a month"],
    [{ unitAmount: 1_200, currency: "jpy", interval: "year" }, 1, "1200 jpy a year"],
    [{ unitAmount: 999, currency: "usd", interval: "month" }, 3, "9.99 usd every 3 months"],
    [{ unitAmount: null, currency: "usd", interval: "week" }, 1, "no plain amount usd a week"],
  ])("of %o every %i is %s", (price, intervalCount, words) => {
    expect(describePrice({ ...price, intervalCount })).toBe(words);
  });
});
