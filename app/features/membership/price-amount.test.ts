import { describe, expect, it } from "vitest";
import { readAmount, writeAmount } from "./price-amount";

describe("an amount", () => {
  it.each([
    ["9.99", "usd", 999],
    ["0.50", "usd", 50],
    // times 100 in floating point, these are not whole numbers
    ["19.99", "usd", 1999],
    ["1200", "jpy", 1200],
    // no decimals according to Intl, two according to Stripe
    ["5", "isk", 500],
    ["5.120", "kwd", 5120],
    ["999999.99", "usd", 99_999_999],
  ])("%s %s is %i in Stripe's minor units, and back", (text, currency, unitAmount) => {
    expect(readAmount(text, currency)).toEqual({ unitAmount });
    expect(readAmount(writeAmount(unitAmount, currency), currency)).toEqual({ unitAmount });
  });

  it.each([
    ["1,50", "usd", "an amount such as 12.50, above 0"],
    ["1.5", "jpy", "an amount without decimals, since jpy has none"],
    ["1.005", "usd", "an amount of at most 2 decimals in usd"],
    ["0.00", "usd", "an amount above 0"],
    ["1000000", "usd", "a smaller amount"],
    ["5.123", "kwd", "an amount whose third decimal is 0 in kwd"],
  ])("instead of '%s' %s, %s is wanted", (text, currency, wanted) => {
    expect(readAmount(text, currency)).toEqual({ wanted });
  });
});
