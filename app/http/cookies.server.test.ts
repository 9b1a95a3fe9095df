import { createCookie } from "@remix-run/node";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { cookieName, hasCookie, signedCookie } from "./cookies.server";

const SESSION_SECRET = "a secret that is worth nothing elsewhere";

afterAll(() => setEnvironment({}));

describe("a cookie of the site", () => {
  it("is bound to its exact host and to https where the site has it", async () => {
    setEnvironment({ PUBLIC_URL: "https://book.example", SESSION_SECRET });
    expect(cookieName("flash")).toBe("__Host-flash");
    const line = await signedCookie("flash", 60).serialize("hello");
    expect(line).toMatch(/^__Host-flash=/);
    expect(line.split("; ").slice(1).sort()).toEqual(
      ["HttpOnly", "Max-Age=60", "Path=/", "SameSite=Lax", "Secure"].sort(),
    );
  });

  it("has its plain name without https, where browsers reject the prefix", async () => {
    setEnvironment({ PUBLIC_URL: "http://localhost:3000", SESSION_SECRET });
    expect(cookieName("flash")).toBe("flash");
    expect(await signedCookie("flash", 60).serialize("hello")).not.toMatch(/Secure/);
  });
});

describe("whether a header holds a cookie", () => {
  it.each([
    ["session=a", true],
    ["a=b;session=c", true],
    ["ga_session=a", false],
    ["__Host-session=a", false],
    ["xsession=a; session=b", true],
    ["a=session=b", false],
    ["session", false],
    [null, false],
  ])("'%s': %s", (header, expected) => {
    expect(hasCookie(header, "session")).toBe(expected);
  });

  it("is decided as by the library that parses cookies", async () => {
    const cookie = createCookie("ab");
    const part = fc.constantFrom("ab", "a", "b", "=", ";", "; ", " ", "\t", '"', "x", "ab=");
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 12 }), async (parts) => {
        const header = parts.join("");
        expect(hasCookie(header, "ab")).toBe((await cookie.parse(header)) !== null);
      }),
      { numRuns: 500 },
    );
  });
});
