import { describe, expect, test } from "vitest";
import { chargeOutcome, groupDigits, readCard, TEST_CARDS } from "./test-cards";

const NOW = Date.UTC(2027, 4, 15) / 1000;
const read = (number: string, expiry = "12 / 30", cvc = "123") =>
  readCard({ number, expiry, cvc }, NOW);

describe("readCard", () => {
  test("takes every test card, however its digits are grouped", () => {
    for (const number of Object.keys(TEST_CARDS)) {
      expect(read(groupDigits(number))).toEqual({ card: number });
    }
    expect(read("4242-4242-4242-4242", "1/2031", "1234")).toEqual({ card: "4242424242424242" });
  });

  test("takes a card until the end of the month on it", () => {
    expect(read("4242424242424242", "05 / 27")).toEqual({ card: "4242424242424242" });
    expect(read("4242424242424242", "04 / 27")).toEqual({
      problem: "Your card's expiration date is in the past.",
    });
  });

  test("never takes a number that is no test card", () => {
    expect(read("4111111111111111")).toHaveProperty("problem");
    expect(read("constructor")).toHaveProperty("problem");
  });
});

test("a card may be good at the page and bad at a renewal", () => {
  expect(chargeOutcome("4000000000000341", true).kind).toBe("paid");
  expect(chargeOutcome("4000000000000341", false).kind).toBe("declined");
  expect(chargeOutcome("4000002500003155", true).kind).toBe("authentication");
  expect(chargeOutcome("4000002500003155", false).kind).toBe("paid");
  expect(chargeOutcome("bank_account", true).kind).toBe("processing");
});
