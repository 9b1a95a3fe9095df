import { describe, expect, it } from "vitest";
import { describeDuration, RateMeter } from "./send-rate";

describe("the send rate", () => {
  it("covers the last half minute", () => {
    const meter = new RateMeter();
    expect(meter.perSecond()).toBeNull();
    meter.add(0, 0);
    expect(meter.perSecond()).toBeNull();
    meter.add(100, 10_000);
    expect(meter.perSecond()).toBe(10);
    for (let second = 11; second <= 60; second++)
      meter.add(100 + (second - 10) * 2, second * 1_000);
    expect(meter.perSecond()).toBe(2);
  });
});

describe("a duration", () => {
  it.each([
    [0.2, "1 s"],
    [59.5, "1 min"],
    [3_599, "1 h"],
    [172_740, "47 h 59 min"],
    [172_800, "2 d"],
  ])("of %d seconds is %s", (seconds, words) => {
    expect(describeDuration(seconds)).toBe(words);
  });
});
