import { expect, it } from "vitest";
import { isSubscribed } from "./access";

const NOW = new Date("2026-06-15T12:00:00Z");
const LATER = new Date(NOW.getTime() + 1);

it("gives access with a price until the period ends", () => {
  const row = { stripePriceId: "price_1", stripeCurrentPeriodEnd: LATER };
  expect(isSubscribed(row, NOW)).toBe(true);
  expect(isSubscribed(row, LATER)).toBe(false);
});

it("gives no access without a price, a period end or a profile", () => {
  expect(isSubscribed({ stripePriceId: null, stripeCurrentPeriodEnd: LATER }, NOW)).toBe(false);
  expect(isSubscribed({ stripePriceId: "price_1", stripeCurrentPeriodEnd: null }, NOW)).toBe(false);
  expect(isSubscribed(null, NOW)).toBe(false);
});
