import { expect, it } from "vitest";
import { isSubscribed } from "./access";

const NOW = new Date("2026-06-15T12:00:00Z");
const LATER = new Date(NOW.getTime() + 1);

it("gives access with a price and a period that has not ended", () => {
  const row = { stripePriceId: "price_1", stripeCurrentPeriodEnd: LATER };
  expect(isSubscribed(row, NOW)).toBe(true);
  expect(isSubscribed(row, LATER)).toBe(false);
});

it("gives none without a price, without a period's end, or without a profile", () => {
  expect(isSubscribed({ stripePriceId: null, stripeCurrentPeriodEnd: LATER }, NOW)).toBe(false);
  expect(isSubscribed({ stripePriceId: "price_1", stripeCurrentPeriodEnd: null }, NOW)).toBe(false);
  expect(isSubscribed(null, NOW)).toBe(false);
});
