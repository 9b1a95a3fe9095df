import { describe, expect, it } from "vitest";
import { deviceOf } from "./device.server";

describe("deviceOf", () => {
  it.each([
    [
      "Firefox",
      "Windows",
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0",
    ],
    [
      "Safari",
      "iOS",
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
    ],
    [
      "Chrome",
      "Android",
      "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36",
    ],
    [
      "Microsoft Edge",
      "macOS",
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0",
    ],
  ])("recognizes %s on %s", (browser, system, userAgent) => {
    expect(deviceOf(userAgent)).toEqual({ browser, system });
  });

  it.each([
    ["none", null],
    ["an empty one", ""],
    ["a control character", "\u0000"],
    ["a picture", "🦊"],
    ["a very long one", "a".repeat(16_000)],
  ])("returns null for %s", (_what, userAgent) => {
    expect(deviceOf(userAgent).system).toBeNull();
  });

  it("examines only the first 512 characters", () => {
    const firefox = "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0";
    expect(deviceOf(`${" ".repeat(400)}${firefox}`).browser).toBe("Firefox");
    expect(deviceOf(`${" ".repeat(512)}${firefox}`)).toEqual({ browser: null, system: null });
  });
});
