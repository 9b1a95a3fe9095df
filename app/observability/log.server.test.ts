import { describe, expect, it } from "vitest";
import { redactAddresses } from "./log.server";

describe("redacting a log message", () => {
  it.each([
    ["Invalid email address: reader@example.test", "Invalid email address: [redacted]"],
    ["'a.b+c@x.example' is taken", "'[redacted]' is taken"],
    ["a@b.c, d@e.f", "[redacted], [redacted]"],
    ["postgres://someone:hunter2@db.internal:5432/book", "postgres://someone:[redacted]:5432/book"],
    // percent-encoded once or several times, and with Unicode's other at signs
    ["/a/reader%40example.test/b", "/a/[redacted]/b"],
    ["/a/reader%25252540example.test", "/a/[redacted]"],
    ["/a/%72eader%40example%2Etest", "/a/[redacted]"],
    ["/a/reader%EF%BC%A0example.test", "/a/[redacted]"],
    ["/a/%FFreader%40example.test", "/a/[redacted]"],
  ])("removes addresses: %s", (text, expected) => {
    expect(redactAddresses(text)).toBe(expected);
  });

  it("takes linear time for any input", () => {
    // a redaction in quadratic time would exceed the test's timeout
    for (const part of ["a", "@", "%", "%25", "%40", "a%", "\uff20", "(", " "]) {
      redactAddresses(part.repeat(300_000 / part.length));
    }
  });

  it("leaves a text without an address unchanged", () => {
    expect(redactAddresses("/caf%C3%A9/100%/%zz/@scope/name")).toBe(
      "/caf%C3%A9/100%/%zz/@scope/name",
    );
    const text = "Error: no @ here\n    at run (file:///app/build/index.js:1:2)";
    expect(redactAddresses(text)).toBe(text);
  });
});
