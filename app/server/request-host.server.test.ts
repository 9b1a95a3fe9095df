import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { isRewrittenByUrl, normalizeRequestTarget, repeatedHeader } from "./request-host.server";

const repeatedIn = (...rawHeaders: string[]) => repeatedHeader({ rawHeaders } as IncomingMessage);

describe("a repeated header", () => {
  it.each([
    "Host",
    "Content-Type",
    "Content-Length",
    "Transfer-Encoding",
    "Authorization",
    "Origin",
    "Sec-Fetch-Site",
  ])("is found for %s, in any case", (name) => {
    expect(repeatedIn(name, "a", "X-Other", "b", name.toUpperCase(), "a")).toBe(name.toLowerCase());
  });

  it("does not matter for headers that may come several times", () => {
    expect(
      repeatedIn("Cookie", "a=1", "Cookie", "b=2", "Accept", "*/*", "Accept", "a/b"),
    ).toBeNull();
  });
});

describe("an absolute request target", () => {
  const targetOf = (url: string, host: string | undefined = "book.example") => {
    const request = { url, headers: { host } } as IncomingMessage;
    normalizeRequestTarget(request);
    return request.url;
  };

  it.each([
    ["http://book.example/auth?tab=signup", "/auth?tab=signup"],
    ["https://BOOK.example/a//b", "/a//b"],
    ["http://book.example", "/"],
    // which the guards reject
    ["http://book.example\\auth", "/\\auth"],
    ["http://book.example#auth", "/#auth"],
    ["http://book.example?x=http://other.example/", "/?x=http://other.example/"],
    ["/auth", "/auth"],
  ])("%s becomes %s", (url, target) => {
    expect(targetOf(url)).toBe(target);
  });

  it("may name the port that Host names", () => {
    expect(targetOf("http://book.example:3000/a", "Book.example:3000")).toBe("/a");
  });

  it.each([
    "http://other.example/",
    "http://book.example:8080/",
    "ftp://book.example/",
    "httpsx://book.example/",
    "http:/book.example/auth",
    "http:///book.example/auth",
    "http:\\\\book.example\\auth",
    "http:book.example",
    "*",
    "book.example:443",
  ])("%s stays as it is", (url) => {
    expect(targetOf(url)).toBe(url);
  });

  it("stays as it is when the request has no Host", () => {
    const request = { url: "http://book.example/", headers: {} } as IncomingMessage;
    normalizeRequestTarget(request);
    expect(request.url).toBe("http://book.example/");
  });
});

describe("a path", () => {
  it.each([
    "/\\evil.example",
    "/#/auth",
    "//",
    "/auth//",
    "/..",
    "/../auth",
    "/auth/..",
    "/x/../auth",
    "/x/.%2E/auth",
    "/au\tth",
    "/auth ",
    "/caf\u00c3\u00a9",
  ])("that new URL reads otherwise is recognized: %j", (path) => {
    expect(isRewrittenByUrl(path)).toBe(true);
  });

  it.each([
    "/",
    "/_root.data",
    "/.well-known/change-password",
    "/...",
    "/..auth",
    "/auth..",
    "/a%20b",
    "/caf%C3%A9",
    "/x%5C..%5Cauth",
    "/auth;a=b/c@d:e",
  ])("that has one spelling is read as it is: %j", (path) => {
    expect(isRewrittenByUrl(path)).toBe(false);
  });
});
