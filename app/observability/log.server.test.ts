import { describe, expect, it } from "vitest";
import { withoutAddresses } from "./log.server";

describe("a text on its way to the log", () => {
  it.each([
    ["Invalid email address: reader@example.test", "Invalid email address: [redacted]"],
    ["'a.b+c@x.example' is taken", "'[redacted]' is taken"],
    ["/unsubscribe/reader@example.test/now", "/unsubscribe/[redacted]/now"],
    ["a@b.c, d@e.f", "[redacted], [redacted]"],
    ["postgres://someone:hunter2@db.internal:5432/book", "postgres://someone:[redacted]:5432/book"],
    // encoded once and more often, and with Unicode's other at signs
    ["/a/reader%40example.test/b", "/a/[redacted]/b"],
    ["/a/reader%2540example.test", "/a/[redacted]"],
    ["/a/reader%25252540example.test", "/a/[redacted]"],
    ["/a/reader+tag%40example.test", "/a/[redacted]"],
    ["/a/%72eader%40example%2Etest", "/a/[redacted]"],
    ["/a/reader\uff20example.test", "/a/[redacted]"],
    ["/a/reader%EF%BC%A0example.test", "/a/[redacted]"],
    ["/a/reader%ef%b9%abexample.test", "/a/[redacted]"],
    ["/a/%FFreader%40example.test", "/a/[redacted]"],
  ])("loses addresses: %s", (text, expected) => {
    expect(withoutAddresses(text)).toBe(expected);
  });

  it("takes time in proportion to its length, whatever it is made of", () => {
    const timed = (text: string) => {
      const start = performance.now();
      withoutAddresses(text);
      return performance.now() - start;
    };
    for (const part of ["a", "@", "%", "%25", "%40", "a%", "\uff20", "(", " "]) {
      expect(timed(part.repeat(65_536 / part.length)), part).toBeLessThan(500);
    }
  });

  it("stays as it is without one", () => {
    expect(withoutAddresses("/caf%C3%A9/100%/%zz/@scope/name")).toBe(
      "/caf%C3%A9/100%/%zz/@scope/name",
    );
    const text = "Error: no @ here\n    at run (file:///app/build/index.js:1:2)";
    expect(withoutAddresses(text)).toBe(text);
  });
});
