import { expect, it } from "vitest";
import { judgeCertificate } from "./check-site.server";

const DAY_MS = 86_400_000;
const NOW = Date.parse("2026-11-23T12:00:00Z");

const judge = (validDays: number, daysLeft: number) => {
  const end = NOW + daysLeft * DAY_MS;
  const dates = {
    valid_from: new Date(end - validDays * DAY_MS).toUTCString(),
    valid_to: new Date(end).toUTCString(),
  };
  return judgeCertificate(dates, NOW).level;
};

it("expects a 90-day certificate to be renewed two weeks before it expires", () => {
  expect(judge(90, 15)).toBe("ok");
  expect(judge(90, 13)).toBe("problem");
  expect(judge(365, 13)).toBe("problem");
});

it("accepts a six-day certificate until its last day", () => {
  expect(judge(6, 2)).toBe("ok");
  expect(judge(6, 0.9)).toBe("problem");
});
