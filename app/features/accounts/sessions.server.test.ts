import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { forgetSession, hasSessionCookie, readSession, setSession } from "./sessions.server";

beforeAll(() => setEnvironment({ SESSION_SECRET: "a secret that is worth nothing elsewhere" }));
afterAll(() => setEnvironment({}));

/** A request that sends back the cookie that this Set-Cookie header sets. */
const requestWith = (setCookie: string) =>
  new Request("http://localhost:3000", { headers: { Cookie: setCookie.split(";")[0] ?? "" } });

describe("the session cookie", () => {
  it("is stored for 30 days, out of reach of scripts and of other sites' posts", async () => {
    const cookie = await setSession("a token");
    expect(cookie).toMatch(/^session=/);
    expect(cookie.split("; ").slice(1).sort()).toEqual(
      ["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax"].sort(),
    );
  });

  it("gives the token back", async () => {
    const request = requestWith(await setSession("a token"));
    expect(hasSessionCookie(request)).toBe(true);
    expect(await readSession(request)).toBe("a token");
  });

  it("is emptied and expires at once when the browser is to forget it", async () => {
    const cookie = await forgetSession();
    expect(cookie).toMatch(/^session=;/);
    expect(cookie).toMatch(/; Max-Age=0;/);
    expect(cookie).toMatch(/; Expires=Thu, 01 Jan 1970 00:00:00 GMT/);
  });

  it("holds no token if there is none", async () => {
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
