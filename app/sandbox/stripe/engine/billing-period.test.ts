import { expect, test } from "vitest";
import { nextPeriodEnd } from "./billing-period";

const at = (date: string) => Date.parse(`${date}Z`) / 1000;
const month = { interval: "month", interval_count: 1 };

test("a monthly period ends on the same day and time of the next month", () => {
  expect(nextPeriodEnd(at("2027-03-15T09:30:00"), at("2027-03-15T09:30:00"), month)).toBe(
    at("2027-04-15T09:30:00"),
  );
});

test("a shorter month's period ends on its last day, and later months return to the original day", () => {
  const anchor = at("2027-01-31T12:00:00");
  const february = nextPeriodEnd(anchor, anchor, month);
  expect(february).toBe(at("2027-02-28T12:00:00"));
  expect(nextPeriodEnd(february, anchor, month)).toBe(at("2027-03-31T12:00:00"));
  const december = at("2027-12-31T12:00:00");
  expect(nextPeriodEnd(nextPeriodEnd(december, anchor, month), anchor, month)).toBe(
    at("2028-02-29T12:00:00"),
  );
});
