import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { findKnownBrowser, rememberBrowser } from "./known-browser.server";

beforeAll(() => setEnvironment({ SESSION_SECRET: "a secret that is worth nothing elsewhere" }));
afterAll(() => setEnvironment({}));

/** A browser's request; `setCookie` is the Set-Cookie header it received before. */
const requestWith = (setCookie = "") =>
  new Request("http://localhost:3000", { headers: { Cookie: setCookie.split(";")[0] ?? "" } });

const withPassword = (passwordHash: string) => async (email: string) => ({ email, passwordHash });

/** Returns a browser's last Set-Cookie header after it signed in to these accounts in turn. */
async function signedInTo(...emails: string[]): Promise<string> {
  let cookie = "";
  for (const email of emails) cookie = await remember(cookie, email);
  return cookie;
}

const remember = (setCookie: string, email: string) =>
  rememberBrowser(requestWith(setCookie), email, withPassword("a"));
const idFor = (setCookie: string, email: string | null, passwordHash = "a") =>
  findKnownBrowser(requestWith(setCookie), email, withPassword(passwordHash));

describe("a browser that has signed in", () => {
  it("is remembered for a year, in a cookie no script can read", async () => {
    const cookie = await signedInTo("a@example.test");
    expect(cookie).toMatch(/^known-browser=/);
    expect(cookie.split("; ").slice(1).sort()).toEqual(
      ["HttpOnly", "Max-Age=31536000", "Path=/", "SameSite=Lax"].sort(),
    );
  });

  it("is known to this account only", async () => {
    const cookie = await signedInTo("a@example.test");
    expect(await idFor(cookie, "a@example.test")).toMatch(/^[\w-]{22}$/);
    expect(await idFor(cookie, "b@example.test")).toBeNull();
    expect(await idFor(cookie, null)).toBeNull();
  });

  it("is not known any more once the account has another password", async () => {
    const cookie = await signedInTo("a@example.test");
    expect(await idFor(cookie, "a@example.test", "b")).toBeNull();
  });

  it("keeps its id across accounts", async () => {
    const first = await signedInTo("a@example.test");
    const id = await idFor(first, "a@example.test");
    const second = await remember(first, "b@example.test");
    expect(await idFor(second, "a@example.test")).toBe(id);
    expect(await idFor(second, "b@example.test")).toBe(id);
  });

  it("stays known to an account it signs in to again", async () => {
    const emails = ["a", "b", "c", "d", "a", "e"].map((name) => `${name}@example.test`);
    const cookie = await signedInTo(...emails);
    expect(await idFor(cookie, "a@example.test")).not.toBeNull();
    expect(await idFor(cookie, "b@example.test")).toBeNull();
    expect(await idFor(cookie, "c@example.test")).not.toBeNull();
  });

  it("stores no addresses in the cookie", async () => {
    const [value = ""] = (await signedInTo("a@example.test")).split(";");
    const content = Buffer.from(decodeURIComponent(value.split("=")[1] ?? ""), "base64");
    expect(content.toString()).toContain("accounts");
    expect(content.toString()).not.toContain("example");
  });
});

describe("an unknown browser", () => {
  it("has no cookie", async () => {
    expect(await findKnownBrowser(requestWith(), "a@example.test")).toBeNull();
    expect(await findKnownBrowser(requestWith("session=a"), "a@example.test")).toBeNull();
  });

  it("has an altered cookie, and gets a new id when it signs in", async () => {
    const cookie = await signedInTo("a@example.test");
    const forged = cookie.replace(/^([^;]+)/, "$1x");
    expect(await idFor(forged, "a@example.test")).toBeNull();
    const again = await remember(forged, "b@example.test");
    expect(await idFor(again, "a@example.test")).toBeNull();
    expect(await idFor(again, "b@example.test")).not.toBe(await idFor(cookie, "a@example.test"));
  });
});
