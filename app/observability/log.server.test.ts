import pino from "pino";
import { describe, expect, it } from "vitest";
import { loggerOptions, redactAddresses } from "./log.server";

let line = "";
// tests of other files may have turned the log off
const options = { ...loggerOptions(), level: "info" };
const logger = pino(options, {
  write: (text) => {
    line = text;
  },
});

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
    ["/a/reader%2Bbook%40EXAMPLE.test", "/a/[redacted]"],
    ["rcpt READER@EXAMPLE.TEST: no", "rcpt [redacted]: no"],
    // an international domain in both forms
    ["for anna@münchen.example", "for [redacted]"],
    ["for anna@xn--mnchen-3ya.example", "for [redacted]"],
    // what may be in a name
    ["'o'brien@example.test' is taken", "'[redacted]' is taken"],
    ['no mailbox "anna smith"@example.test here', "no mailbox [redacted] here"],
    ['{"to":"\\"anna \\\\"a\\\\" smith\\"@example.test"}', '{"to":[redacted]"}'],
    ["/a/%22anna%20smith%22%40example.test", "/a/[redacted]"],
    // JSON, HTML and quoted-printable
    ['{"to":"reader\\u0040example.test"}', '{"to":"[redacted]"}'],
    ["reader&#64;example.test, reader&#x40;example.test", "[redacted], [redacted]"],
    ["reader=40example.test", "[redacted]"],
    ["status=404 after timeout=4000ms", "status=404 after timeout=4000ms"],
  ])("removes addresses: %s", (text, expected) => {
    expect(redactAddresses(text)).toBe(expected);
  });

  it("covers each field, the message, the error's stack and its cause", () => {
    const cause = new Error("550 <reader@example.test> unknown");
    const err = new TypeError("no reader@example.test", { cause });
    const reply = { to: ["reader@example.test"], code: 550, at: null, by: undefined };
    logger.error({ err, reply, none: undefined, no: null }, "for reader@example.test");
    expect(line).toContain('"reply":{"to":["[redacted]"],"code":550,"at":null},"no":null');
    expect(line).toContain("log.server.test.ts");
    expect(line).not.toMatch(/reader|example\.test/);
  });

  it.each([
    "/auth/reset-password#SECRET",
    "/auth/reset-password%23token=SECRET",
    "/auth/reset-password%2523token%253DSECRET",
    "/auth/reset-password%3FSECRET",
    "/newsletter/unsubscribe&SECRET",
    "/newsletter/unsubscribe;SECRET",
    "/newsletter/confirm=3DSECRET",
    "/podcast%2FSECRET.xml",
    "/podcast%252FSECRET.xml",
    // pierreb-devkit/Node#3951, neiliro/neiliro#186
    "/Drafts/SECRET/a-text",
    "/x/..\\drafts\\SECRET",
  ])("leaves no token in the path %s", (path) => {
    logger.info({ path }, "request");
    expect(line).toContain("[redacted]");
    expect(line).not.toContain("SECRET");
  });

  it("takes linear time for any input", () => {
    // a redaction in quadratic time would exceed the test's timeout
    for (const part of [
      "a",
      "@",
      "%",
      "%25",
      "%40",
      "a%",
      "\uff20",
      "(",
      " ",
      '"',
      '\\"',
      "&#64;",
      "'",
    ]) {
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
