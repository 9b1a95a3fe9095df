import type { IncomingMessage } from "node:http";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import type { RouteHandle } from "~/http/route-handle";
import { checkRequest } from "./request-guards.server";

type Asked = { url?: string; method?: string; headers?: Record<string, string | undefined> };

/** A request as node:http provides it, as far as the guards read it. */
function ask({ url, method = "GET", headers = {} }: Asked): IncomingMessage {
  const all = { host: "book.example", ...headers };
  const rawHeaders = Object.entries(all).flatMap(([name, value]) => [name, value ?? ""]);
  return { url, method, headers: all, rawHeaders } as never;
}

const statusOf = (asked: Asked, path = "/", handle: RouteHandle = {}) =>
  checkRequest(ask(asked), path, handle)?.status ?? "passes";

const post = (headers: Record<string, string | undefined>, handle: RouteHandle = {}) =>
  statusOf({ method: "POST", headers }, "/newsletter", handle);

beforeEach(() => setEnvironment({ PUBLIC_URL: "https://book.example", LOG_LEVEL: "silent" }));
afterAll(() => setEnvironment({}));

describe("a request", () => {
  it.each(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])("may be a %s", (method) => {
    expect(statusOf({ method })).toBe("passes");
  });

  it.each(["OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get", "XGET", "GETX"])(
    "may not be a %s",
    (method) => {
      expect(checkRequest(ask({ method }), "/")).toMatchObject({
        status: 405,
        headers: { Allow: "GET, HEAD, POST" },
      });
    },
  );

  it("may not repeat a header that decides how it is read", () => {
    const request = ask({});
    request.rawHeaders.push("Host", "other.example");
    expect(checkRequest(request, "/")).toMatchObject({
      status: 400,
      message: expect.stringContaining("host"),
    });
  });

  it.each(["GET", "HEAD"])("may come from anywhere as a %s", (method) => {
    const headers = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
    expect(statusOf({ method, headers })).toBe("passes");
  });

  it.each([
    ["book.example", "passes"],
    ["BOOK.example", "passes"],
    ["book.example:443", "passes"],
    ["book.example:8443", 421],
    ["www.book.example", 308],
    ["book.example.evil.example", 421],
    ["evil.example/book.example", 421],
    ["someone@book.example", 421],
    ["book.example#", 421],
    ["localhost", 421],
    ["127.0.0.1:3000", 421],
    ["", 421],
    [undefined, 400],
  ])("for the host %s: %s", (host, expected) => {
    expect(statusOf({ headers: { host } })).toBe(expected);
  });

  it("may not have a path with more than one spelling", () => {
    for (const path of ["/auth\\x", "/auth#x", "//auth", "/x/../auth", "/x/%2e%2e/auth"])
      expect(statusOf({}, path), path).toBe(400);
    // its query is no matter
    expect(statusOf({ url: "/auth?next=\\..//./#" }, "/auth")).toBe("passes");
  });

  it("may use any loopback name of the local machine", () => {
    setEnvironment({ PUBLIC_URL: "http://localhost:3000", LOG_LEVEL: "silent" });
    for (const host of [
      "localhost",
      "localhost:3000",
      "127.0.0.1:3000",
      "127.12.0.255:3000",
      "[::1]:3000",
      "LOCALHOST:8080",
    ]) {
      expect(statusOf({ headers: { host } })).toBe("passes");
    }
    for (const host of [
      "localhost.evil.example",
      "evil.example.localhost",
      "127.0.0.1.evil.example",
      "localhost@evil.example",
    ]) {
      expect(statusOf({ headers: { host } })).toBe(421);
    }
  });

  it("may use any host name only for a route that declares it", () => {
    const asked = { headers: { host: "10.0.0.7:3000" } };
    expect(statusOf(asked, "/", { hostCheck: false })).toBe("passes");
    expect(statusOf(asked, "/", { originCheck: false })).toBe(421);
    expect(statusOf(asked)).toBe(421);
  });

  it("may not have a URL that cannot be decoded, or too many headers", () => {
    expect(statusOf({}, "/%E0%A4%A")).toBe(400);
    expect(statusOf({}, "/caf%C3%A9")).toBe("passes");
    // which the router would take for the beginning of a host
    expect(statusOf({}, "/%5C")).toBe(400);
    expect(statusOf({}, "/%5C%5Bx/auth")).toBe(400);
    expect(statusOf({}, "/%5Cx")).toBe("passes");
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, "y"]));
    // and Host
    expect(statusOf({ headers: many(99) })).toBe("passes");
    expect(statusOf({ headers: many(100) })).toBe(431);
  });
});

describe("a request's address", () => {
  const longest = `/${"a".repeat(511)}`;

  it.each([
    // haswellr/CritterDB#61, dachcom-digital/pimcore-members#136
    ["/newsletter/one.", "/newsletter/one"],
    ["/newsletter/one!", "/newsletter/one"],
    ["/drafts/9.abc/one).%E2%80%9D", "/drafts/9.abc/one"],
    ["/podcast/abc_-.xml%3E", "/podcast/abc_-.xml"],
    ["/podcast/abc_-.xml=", "/podcast/abc_-.xml"],
    ["/one%0D%0A", "/one"],
    ["/one%E2%80%8B", "/one"],
    ["/*", "/"],
    ["/auth/reset-password%3Ftoken%3Dabc", "/auth/reset-password?token=abc"],
    ["/%2Fevil.example)", "/evil.example"],
  ])("for the link %s is redirected to %s", (path, bare) => {
    expect(checkRequest(ask({ url: path }), path)).toMatchObject({
      status: 302,
      headers: { Location: bare },
    });
    expect(statusOf({ url: bare }, new URL(bare, "https://book.example").pathname)).toBe("passes");
    expect(statusOf({ url: path, method: "POST" }, path)).toBe("passes");
  });

  it("has a path of at most 512 characters, in however many segments", () => {
    expect(statusOf({}, longest)).toBe("passes");
    expect(statusOf({}, "/a".repeat(256))).toBe("passes");
    for (const path of [`${longest}a`, "/a".repeat(257), `/${"%41".repeat(200)}`]) {
      expect(statusOf({}, path)).toBe(414);
    }
  });

  it("has at most 8,000 characters with its query", () => {
    const query = (length: number) => `/?${"a".repeat(length - 2)}`;
    expect(statusOf({ url: query(8_000) })).toBe("passes");
    expect(statusOf({ url: query(8_001) })).toBe(414);
  });

  it.each(["http://book.example/", "*", "book.example:443"])("is a path: not %s", (path) => {
    expect(statusOf({}, path)).toBe(400);
  });
});

describe("a request that would change something", () => {
  it.each<[string, Record<string, string | undefined>, number | "passes"]>([
    ["the site's own page", { "sec-fetch-site": "same-origin" }, "passes"],
    ["no page, such as a reload", { "sec-fetch-site": "none" }, "passes"],
    ["a sister site", { "sec-fetch-site": "same-site" }, 403],
    ["another site", { "sec-fetch-site": "cross-site" }, 403],
    ["who claims anything else", { "sec-fetch-site": "friend" }, 403],
    [
      "another site that sends our origin",
      { "sec-fetch-site": "cross-site", origin: "https://book.example" },
      403,
    ],
    ["an old browser on our page", { origin: "https://book.example" }, "passes"],
    ["an old browser elsewhere", { origin: "https://evil.example" }, 403],
    ["our page over plain http", { origin: "http://book.example" }, 403],
    ["another port of our host", { origin: "https://book.example:8443" }, 403],
    ["a page without an origin", { origin: "null" }, 403],
    ["an origin that is none", { origin: "book.example" }, 403],
    ["a program, which has neither", {}, "passes"],
  ])("from %s", (_from, headers, expected) => {
    expect(post(headers)).toBe(expected);
  });

  it("may come from another origin only where a route declares other authentication", () => {
    const elsewhere = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
    expect(post(elsewhere, { originCheck: false })).toBe("passes");
    expect(post(elsewhere, { hostCheck: false })).toBe(403);
    expect(post(elsewhere)).toBe(403);
  });

  it("must come from the exact host and port of the page, on the local machine too", () => {
    setEnvironment({ PUBLIC_URL: "http://localhost:3000", LOG_LEVEL: "silent" });
    const host = "127.0.0.1:3000";
    expect(post({ host, origin: "http://127.0.0.1:3000" })).toBe("passes");
    expect(post({ host, origin: "http://localhost:3000" })).toBe(403);
    expect(post({ host, origin: "http://127.0.0.1:8080" })).toBe(403);
  });
});
