import type { IncomingMessage } from "node:http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { setEnvironment } from "~/env.server";
import type { RouteHandle } from "~/http/route-handle";
import { type LogLine, watchLog } from "../../tests/support/log";

// what is logged is limited per process
const { answerOtherHost } = await import("./other-host.server");

function ask(host: string, { method = "GET", url = "/" } = {}, handle: RouteHandle = {}) {
  return answerOtherHost({ method, url, headers: { host } } as IncomingMessage, handle);
}

let lines: LogLine[];
beforeEach(() => {
  setEnvironment({
    PUBLIC_URL: "https://book.example",
    PUBLIC_ALIASES: "old.example,https://Bücher.example",
    HSTS_INCLUDE_SUBDOMAINS: "true",
  });
  lines = watchLog();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  setEnvironment({});
});

describe("a page asked for by an alias", () => {
  it.each([
    ["old.example", "/"],
    ["OLD.example:8080", "/premium/chapters?tab=2&x=%2F"],
    ["www.book.example", "/auth?tab=signup"],
  ])("of %s is redirected to the same address of the site: %s", (host, url) => {
    for (const method of ["GET", "HEAD"]) {
      expect(ask(host, { method, url })).toMatchObject({
        status: 308,
        headers: { Location: `https://book.example${url}` },
      });
    }
    expect(lines).toEqual([]);
  });

  it.each([
    ["//evil.example/", "https://book.example//evil.example/"],
    ["/\\evil.example", "https://book.example/\\evil.example"],
    ["/@evil.example", "https://book.example/@evil.example"],
    ["/caf\u00e9\r\nSet-Cookie: a=b", "https://book.example/caf%e9%d%aSet-Cookie:%20a=b"],
  ])("never leads to another site: %s", (url, location) => {
    expect(ask("old.example", { url })?.headers?.Location).toBe(location);
    expect(new URL(location).host).toBe("book.example");
  });

  it("may be remembered for an hour, and pins https for that name alone", () => {
    expect(ask("old.example")?.headers).toMatchObject({
      "Cache-Control": "public, max-age=3600",
      "Strict-Transport-Security": "max-age=31536000",
    });
  });
});

describe("a post to an alias", () => {
  it("is not redirected, and its sender is told where the site is", () => {
    const answer = ask("old.example", { method: "POST", url: "/newsletter" });
    expect(answer).toMatchObject({ status: 421 });
    expect(answer?.message).toContain("https://book.example, and nothing was saved");
    expect(answer?.headers?.Location).toBeUndefined();
    expect(answer?.headers?.["Strict-Transport-Security"]).toBe("max-age=31536000");
  });

  it("is handled where programs post that follow no redirects, such as mail providers", () => {
    expect(ask("old.example", { method: "POST" }, { originCheck: false })).toBeNull();
    expect(ask("evil.example", { method: "POST" }, { originCheck: false })?.status).toBe(421);
  });
});

describe("a request for a host that is not the site's", () => {
  it("is answered with both names, and with what to change", () => {
    const { message } = ask("127.0.0.1:3000") ?? {};
    expect(message).toContain("https://book.example");
    expect(message).toContain("'127.0.0.1:3000'");
    expect(message).toContain("'proxy_set_header Host $host;'");
    expect(ask("shop.example")?.message).toContain("PUBLIC_ALIASES");
  });

  it("is shown without control characters, markup or an email address, and shortened", () => {
    const evil = "a'<script>\r\n\u001b[31m\u00e9";
    expect(ask(evil)?.message).toContain("'a%27%3cscript%3e%0d%0a%1b[31m%e9'");
    const { message = "" } = ask("reader@example.test") ?? {};
    expect(message).toContain("[redacted]");
    expect(message).not.toContain("reader");
    expect(ask("a".repeat(5_000))?.message?.length).toBeLessThan(500);
  });

  it("is logged with the same facts, once an hour for each Host and ten times in all", () => {
    vi.useFakeTimers({ now: Date.now() + 7_200_000 });
    ask("127.0.0.1:3000");
    ask("127.0.0.1:3000");
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      level: "warn",
      facts: { host: "127.0.0.1:3000", publicUrl: "https://book.example" },
      message: expect.stringContaining("proxy_set_header Host"),
    });
    for (let i = 0; i < 50; i++) ask(`host-${i}.example`);
    expect(lines).toHaveLength(10);
    vi.advanceTimersByTime(3_600_000);
    ask("127.0.0.1:3000");
    expect(lines).toHaveLength(11);
  });
});
