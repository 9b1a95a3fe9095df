import argon2 from "argon2";
import { sql } from "drizzle-orm";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { RootData } from "~/features/accounts/root-data";
import { loader as logInPage } from "~/routes/auth/route";
import { action as logIn } from "~/routes/auth_.login/route";
import { action as signUp } from "~/routes/auth_.signup/route";
import { action as logOut } from "~/routes/logout/route";
import { loadRoot } from "~/shell/root-data.server";
import { getDatabase } from "~db/client";
import { findUserByEmail } from "~db/queries/users";
import { call, cookiesOf, flashOf, get, leadsTo, ORIGIN, post } from "../support/routes";
import { testSite } from "../support/site";
import { withoutTable } from "../support/without-database";

testSite();

let count = 0;
const newEmail = () => `reader-${++count}-${Date.now()}@example.test`;
const PASSWORD = "open sesame";

async function signedUp(email = newEmail()) {
  const response = await post(signUp, { form: { email, password: PASSWORD } });
  return { email, cookie: cookiesOf(response), response };
}

/** The root loader's response to a browser with these cookies. */
const visit = (cookie: string) =>
  call(loadRoot as never, new Request(ORIGIN, { headers: { Cookie: cookie } }));

async function rootData(cookie: string): Promise<RootData> {
  return (await (await visit(cookie)).json()) as RootData;
}

/** A response's Set-Cookie header for the session. */
const sessionCookieOf = (answer: Response) =>
  answer.headers.getSetCookie().find((line) => line.startsWith("session="));

describe("signing up", () => {
  it("creates the account, signs in and redirects to '/' with the welcome", async () => {
    const { email, cookie, response } = await signedUp();
    expect(response.status).toBe(303);
    expect(await leadsTo(response)).toBe("/");
    const root = await rootData(cookie);
    expect(root.viewer?.user.email).toBe(email);
    expect(root.viewer?.isSubscribed).toBe(false);
    expect(root.toast).toMatchObject({
      title: "✅ Account Created!",
      description: "Welcome! You have been successfully signed in.",
      variant: "default",
    });
  });

  it("stores an argon2id hash at OWASP's parameters, never the password", async () => {
    const { email } = await signedUp();
    const user = await findUserByEmail(email);
    expect(user?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it("reports a known address, in any case, as incomplete and signs nobody in", async () => {
    const { email } = await signedUp();
    const again = await post(signUp, {
      form: { email: email.toUpperCase(), password: "another one" },
    });
    expect(again.headers.get("Location")).toBe("/auth?tab=signup");
    expect((await flashOf(again))?.toast).toEqual({
      title: "Sign up incomplete",
      description:
        "This email is already in use but the user does not exist. Please try signing in.",
      variant: "destructive",
    });
    expect((await rootData(cookiesOf(again))).viewer).toBeNull();
  });

  it("lets only one of ten simultaneous sign-ups of an address through", async () => {
    const email = newEmail();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => post(signUp, { json: { email, password: PASSWORD } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
  });

  it.each([
    ["nothing at all", ""],
    ["a short password", "email=a@example.test&password=12345"],
    ["no real address", "email=nonsense&password=open+sesame"],
    ["an address with a line break", "email=a@b.test%0D%0ABcc:+c@d.test&password=open+sesame"],
    ["two addresses", "email=a@b.test&email=c@d.test&password=open+sesame"],
    ["a NUL byte", "email=a%00@b.test&password=open+sesame"],
  ])("answers %s with the failure toast and makes no account", async (_name, fields) => {
    const before = await userCount();
    const answer = await post(signUp, { form: [...new URLSearchParams(fields)] });
    expect(answer.status).toBe(303);
    expect(answer.headers.get("Location")).toBe("/auth?tab=signup");
    expect((await flashOf(answer))?.toast?.title).toBe("Sign up Failed");
    expect(await userCount()).toBe(before);
  });

  it("keeps the typed address after a failure, and never the password", async () => {
    const answer = await post(signUp, { form: { email: "me@example.test", password: "12345" } });
    expect((await flashOf(answer))?.email).toBe("me@example.test");
    const flash = decodeURIComponent(cookiesOf(answer));
    expect(Buffer.from(flash.split("=")[1] ?? "", "base64").toString()).not.toContain("12345");
  });
});

describe("a browser that has not kept the session's cookie (OpenSlides/OpenSlides#5538)", () => {
  const refusedAt = async (path: string, cookie = "") =>
    (await get(logInPage, path, cookie)).json();

  it.each([
    ["log-in", "/billing/card", logIn],
    ["sign-up", "/", signUp],
  ])("is told so after a %s, with the address and where it leads", async (name, page, action) => {
    const email = name === "log-in" ? (await signedUp()).email : newEmail();
    const form = { email, password: PASSWORD, returnTo: page };
    for (const answer of [
      (await post(action, { form })).headers.get("Location"),
      name === "log-in" && (await (await post(action, { json: form })).json()).redirectTo,
    ]) {
      if (answer === false) continue;
      expect(await refusedAt(answer)).toEqual({ kind: "refused", email, leadsTo: page });
      // other cookies may have been kept
      expect((await refusedAt(answer, "known-browser=x")).kind).toBe("refused");
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 11 * 60_000 });
      expect((await refusedAt(answer)).email).toBeNull();
      vi.useRealTimers();
    }
  });

  it.each(["", "x", "%00", "0".repeat(64)])("gets no address for the marker %j", async (marker) => {
    expect(await refusedAt(`/auth?signed-in=${marker}&leads-to=//evil.example`)).toEqual({
      kind: "refused",
      email: null,
      leadsTo: "/",
    });
  });

  it("is told so without the address while that cannot be read", async () => {
    const { response } = await signedUp();
    const path = response.headers.get("Location") ?? "";
    const told = await withoutTable("sessions", () => refusedAt(path));
    expect(told).toEqual({ kind: "refused", email: null, leadsTo: "/" });
  });

  it("says nothing of it on the log-in page itself", async () => {
    expect(await refusedAt("/auth")).toBeNull();
  });
});

describe("logging in", () => {
  it("signs in whatever the address's case and redirects to '/' with the welcome", async () => {
    const { email } = await signedUp();
    const answer = await post(logIn, { form: { email: email.toUpperCase(), password: PASSWORD } });
    expect(await leadsTo(answer)).toBe("/");
    const root = await rootData(cookiesOf(answer));
    expect(root.viewer?.user.email).toBe(email);
    expect(root.toast).toMatchObject({
      title: "🎉 Welcome Back!",
      description: "You've been successfully signed in.",
    });
  });

  it("leads back to the page of the payment card if its form was sent, whatever the outcome", async () => {
    const { email } = await signedUp();
    const returnTo = "/billing/card";
    for (const password of [PASSWORD, "not that one"]) {
      const form = { email, password, returnTo };
      const answer = await post(logIn, { form });
      expect(await leadsTo(answer)).toBe(returnTo);
      const { redirectTo } = await (await post(logIn, { json: form })).json();
      expect(redirectTo).toBe(
        answer.headers
          .get("Location")
          ?.replace(/signed-in=\w+/, redirectTo.match(/signed-in=\w+/)?.[0] ?? ""),
      );
    }
  });

  it.each(["https://evil.example/", "//evil.example", "/billing/card/", "/logout", "javascript:0"])(
    "redirects to no other address: %s",
    async (returnTo) => {
      const { email } = await signedUp();
      const answer = await post(logIn, { form: { email, password: PASSWORD, returnTo } });
      expect(await leadsTo(answer)).toBe("/");
    },
  );

  it("shows the same message for a wrong password and an unknown address", async () => {
    const { email } = await signedUp();
    const wrong = await post(logIn, { json: { email, password: "not that one" } });
    const unknown = await post(logIn, { json: { email: newEmail(), password: "not that one" } });
    expect(wrong.status).toBe(unknown.status);
    const [a, b] = [await wrong.text(), await unknown.text()];
    expect(a).toBe(b);
    expect(JSON.parse(a).toast).toEqual({
      title: "Sign in Failed",
      description: "Invalid login credentials",
      variant: "destructive",
    });
  });

  it("leads back to the Login form after a failure, with the typed address", async () => {
    const { email } = await signedUp();
    const answer = await post(logIn, { form: { email, password: "not that one" } });
    expect(answer.status).toBe(303);
    expect(answer.headers.get("Location")).toBe("/auth");
    expect((await flashOf(answer))?.email).toBe(email);
  });

  it("ends the browser's previous session", async () => {
    const { email, cookie } = await signedUp();
    const answer = await post(logIn, { form: { email, password: PASSWORD }, cookie });
    expect((await rootData(cookie)).viewer).toBeNull();
    expect((await rootData(cookiesOf(answer))).viewer?.user.email).toBe(email);
  });

  it("hashes once for an unknown address, as for a wrong password", async () => {
    const { email } = await signedUp();
    const verify = vi.spyOn(argon2, "verify");
    onTestFinished(() => verify.mockRestore());
    for (const address of [email, newEmail()]) {
      verify.mockClear();
      await post(logIn, { json: { email: address, password: "not that one" } });
      const hashes = verify.mock.calls.map(([hash]) => hash);
      expect(hashes).toEqual([expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)]);
    }
  });
});

describe("a session", () => {
  it("is stored as a hash only", async () => {
    const { cookie } = await signedUp();
    const token = JSON.parse(
      Buffer.from(
        decodeURIComponent(/session=([^;.]+)/.exec(cookie)?.[1] ?? ""),
        "base64",
      ).toString(),
    ) as string;
    const rows = await getDatabase().db.execute(sql`select token_hash from sessions`);
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it("ends at sign-out, also for a copy of the cookie", async () => {
    const { cookie } = await signedUp();
    const answer = await post(logOut, { form: {}, cookie });
    expect(answer.headers.get("Location")).toBe("/");
    expect(sessionCookieOf(answer)).toMatch(/^session=;.* Max-Age=0;/);
    expect((await flashOf(answer))?.toast?.title).toBe("👋 You've been signed out.");
    expect((await rootData(cookie)).viewer).toBeNull();
  });

  it("expires", async () => {
    const { cookie } = await signedUp();
    await getDatabase().db.execute(
      sql`update sessions set expires_at = now() - interval '1 second'`,
    );
    expect((await rootData(cookie)).viewer).toBeNull();
  });

  it("is extended once a day while in use, up to 180 days after signing in", async () => {
    const { cookie, email } = await signedUp();
    const age = async (created: string, expires: string) =>
      getDatabase().db.execute(
        sql`update sessions set created_at = now() - ${created}::interval, expires_at = now() + ${expires}::interval
            where user_id = (select id from users where email = ${email})`,
      );
    const daysLeft = async () => {
      const [row] = await getDatabase().db.execute<{ days: number }>(
        sql`select round(extract(epoch from expires_at - now()) / 86400)::int as days from sessions
            where user_id = (select id from users where email = ${email})`,
      );
      return row?.days;
    };
    const renewed = async () => sessionCookieOf(await visit(cookie));
    await age("10 days", "20 days");
    // the cookie's lifetime matches the stored session's
    const [session] = /session=[^;]+/.exec(cookie) ?? [];
    expect(await renewed()).toContain(`${session}; Max-Age=2592000;`);
    expect(await daysLeft()).toBe(30);
    await age("170 days", "5 days");
    const maxAge = Number(/; Max-Age=(\d+);/.exec((await renewed()) ?? "")?.[1]);
    expect(maxAge / 86_400).toBeCloseTo(10, 2);
    expect(await daysLeft()).toBe(10);
    // just extended, so reading a page writes nothing
    expect(await renewed()).toBeUndefined();
    await age("1 day", "29 days 1 minute");
    expect(await renewed()).toBeUndefined();
    await age("1 day", "28 days 23 hours 59 minutes");
    expect(await renewed()).toContain("; Max-Age=2592000;");
    expect(await renewed()).toBeUndefined();
  });
});

async function userCount(): Promise<number> {
  const [row] = await getDatabase().db.execute<{ count: number }>(
    sql`select count(*)::int as count from users`,
  );
  return row?.count ?? -1;
}
