import { afterEach, describe, expect, it, vi } from "vitest";
import { OperatorError } from "~db/operator-error";
import { parseRate, parseStartTime } from "./send-options.server";

const NOW = new Date("2026-11-22T12:00:00Z");
afterEach(() => vi.unstubAllEnvs());

describe("--at", () => {
  it.each([
    ["2026-12-06T08:00Z", "2026-12-06T08:00:00.000Z"],
    ["2026-12-06T08:00+01:00", "2026-12-06T07:00:00.000Z"],
    [" 2026-12-06T08:00z ", "2026-12-06T08:00:00.000Z"],
    ["2026-11-22T12:00:01Z", "2026-11-22T12:00:01.000Z"],
  ])("accepts %s", (text, time) => {
    expect(parseStartTime(text, NOW).toISOString()).toBe(time);
  });

  it("treats a time without an offset as local", () => {
    vi.stubEnv("TZ", "Europe/Berlin");
    expect(parseStartTime("2026-12-06 08:00", NOW).toISOString()).toBe("2026-12-06T07:00:00.000Z");
    // the hour skipped by daylight saving time
    expect(() => parseStartTime("2027-03-28T02:30", NOW)).toThrow("there is no 2027-03-28T02:30");
  });

  it.each(["", "tomorrow", "2026-12-06", "2026-12-06T08:00+25:00"])("refuses %j", (text) => {
    expect(() => parseStartTime(text, NOW)).toThrow(OperatorError);
    expect(() => parseStartTime(text, NOW)).toThrow("wanted a time as in");
  });

  it.each([
    ["2026-02-30T08:00Z", "there is no"],
    ["2026-11-22T11:59Z", "is in the past"],
    ["2026-11-22T12:00Z", "is in the past"],
    ["2027-11-23T12:00:01Z", "is over a year ahead"],
  ])("refuses %s: %s", (text, why) => {
    expect(() => parseStartTime(text, NOW)).toThrow(why);
  });
});

describe("--rate", () => {
  it("accepts mails per second, with decimals", () => {
    expect(parseRate("20")).toBe(20);
    expect(parseRate("0.01")).toBe(0.01);
    expect(parseRate("10000")).toBe(10_000);
  });

  it.each(["", "0", "-1", "1e3", "10001", "0.001", "5/s"])("refuses %j", (text) => {
    expect(() => parseRate(text)).toThrow("wanted mails a second");
  });
});
