import { describe, expect, it } from "vitest";
import { withoutAddresses } from "./log.server";

describe("a text on its way to the log", () => {
  it.each([
    ["Invalid email address: reader@example.test", "Invalid email address: [redacted]"],
    ["'a.b+c@x.example' is taken", "'[redacted]' is taken"],
    ["/unsubscribe/reader@example.test/now", "/unsubscribe/[redacted]/now"],
    ["a@b.c, d@e.f", "[redacted], [redacted]"],
    ["postgres://someone:hunter2@db.internal:5432/book", "postgres://someone:[redacted]:5432/book"],
  ])("loses addresses: %s", (text, expected) => {
    expect(withoutAddresses(text)).toBe(expected);
  });

  it("stays as it is without one", () => {
    const text = "Error: no @ here\n    at run (file:///app/build/index.js:1:2)";
    expect(withoutAddresses(text)).toBe(text);
  });
});
