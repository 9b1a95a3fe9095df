import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { forgetSession, hasSessionCookie, readSession, setSession } from "./sessions.server";

beforeAll(() => setEnvironment({ SESSION_SECRET: "a secret that is worth nothing elsewhere" }));
afterAll(() => setEnvironment({}));

/** Returns a request with the cookie of this Set-Cookie header. */
const requestWith = (setCookie: string) =>
  new Request("http://localhost:3000", { headers: { Cookie: setCookie.split(";")[0] ?? "" } });

describe("the session cookie", () => {
  it("lasts 30 days, hidden from scripts and not sent with other sites' posts", async () => {
    const cookie = await setSession("a token");
    expect(cookie).toMatch(/^session=/);
    expect(cookie.split("; ").slice(1).sort()).toEqual(
      ["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax"].sort(),
    );
  });

  it("returns the token", async () => {
    const request = requestWith(await setSession("a token"));
    expect(hasSessionCookie(request)).toBe(true);
    expect(await readSession(request)).toBe("a token");
  });

  it("is emptied and expires at once when cleared", async () => {
    const cookie = await forgetSession();
    expect(cookie).toMatch(/^session=;/);
    expect(cookie).toMatch(/; Max-Age=0;/);
    expect(cookie).toMatch(/; Expires=Thu, 01 Jan 1970 00:00:00 GMT/);
  });

  it("holds no token if it is missing", async () => {
    const request = new Request("http://localhost:3000", { headers: { Cookie: "flash=hello" } });
    expect(hasSessionCookie(request)).toBe(false);
    expect(await readSession(request)).toBeNull();
  });

  it("holds no token if it is empty, unsigned or altered", async () => {
    const [signed = ""] = (await setSession("a token")).split(";");
    for (const cookie of ["session=", "session=abc", `${signed}x`]) {
      expect(await readSession(requestWith(cookie))).toBeNull();
    }
  });
});
