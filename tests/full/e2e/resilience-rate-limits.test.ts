import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { HONEYPOT_FIELD } from "~/ui";
import { type Answer, send, Visitor } from "../../support/http-client";
import { type ProgramSite, startProgramSite } from "../../support/program-site";
import { expectSecurityHeaders, expectStrictPolicy } from "../../support/security-headers";
import { changedTables, countRows, readContents } from "../../support/tables";

/** A fifth of the real limits. */
const FACTOR = "0.2";

/** The remaining limits: per address, per address and account, and per signed-in account. */
const ALLOWED = {
  login: { address: 10, account: 2 },
  signup: { address: 4, account: 2 },
  reset: { address: 4, account: 1 },
  newsletter: { address: 6, account: 2 },
  checkout: { address: 60, account: 24 },
};

let site: ProgramSite;
beforeAll(async () => {
  site = await startProgramSite({
    RATE_LIMIT_FACTOR: FACTOR,
    PAYMENTS: "sandbox",
    TRUST_PROXY: "1",
  });
});
afterAll(() => site?.close());

let count = 0;
let address: string;
/** A public address, in a network that is not used yet. */
const newAddress = () => {
  count += 1;
  return `198.${18 + Math.floor(count / 250)}.${count % 250}.1`;
};
const newEmail = () => `limited-${++count}@example.test`;
beforeEach(() => {
  address = newAddress();
});

/** A browser behind the proxy, which adds the client's address. */
const visitorFrom = (from: string) => new Visitor(site.origin, { "X-Forwarded-For": from });

const post = (path: string, fields: Record<string, string>, from = address) =>
  visitorFrom(from).post(path, { json: fields });

const postForm = (path: string, fields: Record<string, string>, from = address) =>
  visitorFrom(from).post(path, { form: fields });

/** Makes this many attempts; returns how many are allowed before the rest are rejected. */
async function allowedOf(attempts: number, attempt: (i: number) => Promise<Answer>) {
  const statuses: number[] = [];
  for (let i = 0; i < attempts; i++) statuses.push((await attempt(i)).status);
  const allowed = statuses.filter((status) => status !== 429).length;
  // after the first rejection, all are rejected
  expect(statuses.slice(allowed)).toEqual(Array(attempts - allowed).fill(429));
  return allowed;
}

describe("too many attempts", () => {
  it.each<[keyof typeof ALLOWED, string, Record<string, string>]>([
    ["login", "/auth/login", { password: "not the right one" }],
    ["signup", "/auth/signup", { password: "short" }],
    ["reset", "/auth/forgot-password", {}],
    ["newsletter", "/newsletter", {}],
    ["checkout", "/checkout", { priceId: SANDBOX_STRIPE.priceId }],
  ])("of %s are rejected by client address, whatever the account", async (way, path, fields) => {
    const limit = ALLOWED[way].address;
    const attempt = (from?: string) => postForm(path, { email: newEmail(), ...fields }, from);
    expect(await allowedOf(limit + 2, () => attempt())).toBe(limit);
    expect((await attempt(newAddress())).status).not.toBe(429);
  });

  it("change nothing", async () => {
    const email = newEmail();
    for (let i = 0; i <= ALLOWED.newsletter.address; i++) {
      await post("/newsletter", { email: newEmail() });
    }
    const before = await readContents(site.database);
    expect((await post("/newsletter", { email })).status).toBe(429);
    expect((await postForm("/newsletter", { email })).status).toBe(429);
    expect(changedTables(before, await readContents(site.database))).toEqual([]);
  });
});

describe("a rejected visitor", () => {
  const cases = [
    {
      path: "/auth/login",
      title: "Sign in Failed",
      limit: ALLOWED.login.account,
      heading: "Log In",
    },
    {
      path: "/auth/signup",
      title: "Sign up Failed",
      limit: ALLOWED.signup.account,
      heading: "Create Account",
    },
    {
      path: "/newsletter",
      title: "Uh oh! Something went wrong.",
      limit: ALLOWED.newsletter.account,
      heading: "Stay Connected",
    },
    {
      path: "/auth/forgot-password",
      title: "Password reset failed",
      limit: ALLOWED.reset.account,
      heading: "Send link",
    },
  ];
  const words = /Too many attempts\. Please try again in (a minute|\d+ minutes)\./;

  it.each(cases)(
    "at $path without JavaScript gets the page back, with the toast and the typed address",
    async ({ path, title, limit, heading }) => {
      const email = newEmail();
      const attempt = () => postForm(path, { email, password: "secret" });
      expect(await allowedOf(limit, attempt)).toBe(limit);
      const rejected = await attempt();
      expect(rejected.status).toBe(429);
      expect(Number(rejected.headers["retry-after"])).toBeGreaterThan(60);
      expect(rejected.headers["content-type"]).toContain("text/html");
      expect(rejected.headers["cache-control"]).toBe("no-store");
      expectSecurityHeaders(rejected);
      expectStrictPolicy(rejected);
      expect(rejected.text).toContain(title);
      expect(rejected.text).toMatch(words);
      expect(rejected.text).toMatch(/class="[^"]*toast[^"]*destructive|data-variant="destructive"/);
      expect(rejected.text).toContain(heading);
      expect(rejected.text).toContain(`value="${email}"`);
      expect(rejected.text).not.toContain("secret");
      // the toast is on this page, and must not appear again on the next
      expect(rejected.cookies.filter((line) => !/max-age=0/i.test(line))).toEqual([]);
    },
  );

  it.each(cases.slice(0, 3))(
    "at $path with JavaScript gets the same as JSON",
    async ({ path, title, limit }) => {
      const email = newEmail();
      const attempt = (i = 0) =>
        post(path, { email: i % 2 ? email : ` ${email.toUpperCase()}`, password: "secret" });
      expect(await allowedOf(limit, attempt)).toBe(limit);
      const rejected = await attempt();
      expect(rejected.status).toBe(429);
      expect(Number(rejected.headers["retry-after"])).toBeGreaterThan(60);
      expect(JSON.parse(rejected.text)).toMatchObject({
        toast: { title, description: expect.stringMatching(words), variant: "destructive" },
        error: expect.stringMatching(words),
      });
    },
  );

  it("at checkout gets the reason from any address, as form and as JSON", async () => {
    const visitor = visitorFrom(address);
    await visitor.signUp(newEmail());
    const priceId = "price_of_something_else";
    const attempt = () => {
      const headers = { "X-Forwarded-For": newAddress() };
      return visitor.post("/checkout", { json: { priceId }, headers });
    };
    const limit = ALLOWED.checkout.account;
    expect(await allowedOf(limit, attempt)).toBe(limit);
    const json = await attempt();
    expect(json.status).toBe(429);
    expect(JSON.parse(json.text).error).toMatch(words);
    const form = await visitor.post("/checkout", { form: { priceId } });
    expect(form.status).toBe(429);
    expect(form.text).toContain("Checkout Error");
    expect(form.text).toMatch(/Error invoking function: Too many attempts\./);
    // the page still shows the account as signed in
    expect(form.text).toContain("Upgrade to Premium");
  });
});

describe("the honeypot field", () => {
  const bot = { [HONEYPOT_FIELD]: "blue" };

  it.each(["/auth?tab=signup", "/"])(
    "is on the form of %s, invisible and out of the tab order",
    async (path) => {
      const { text } = await send(site.origin + path);
      const field = new RegExp(`<input[^>]*name="${HONEYPOT_FIELD}"[^>]*>`).exec(text)?.[0];
      expect(field).toMatch(/tabindex="-1"/i);
      expect(field).toMatch(/autocomplete="off"/i);
      expect(text).toMatch(/aria-hidden="true"[^>]*>\s*<label>\s*Leave this empty/);
    },
  );

  it("stops programs that fill it in from signing up, with and without JavaScript", async () => {
    const email = newEmail();
    const fields = { email, password: "a long walk", ...bot };
    const before = await readContents(site.database);
    const json = await post("/auth/signup", fields);
    expect(json.status).toBe(422);
    expect(JSON.parse(json.text).toast.title).toBe("Sign up Failed");
    const form = await postForm("/auth/signup", fields, newAddress());
    expect(form.headers.location).toBe("/auth?tab=signup");
    for (const { cookies } of [json, form]) {
      expect(cookies.some((line) => line.startsWith("session="))).toBe(false);
    }
    expect(changedTables(before, await readContents(site.database))).toEqual(["rate_limits"]);
  });

  it("keeps them off the newsletter list without a visible rejection", async () => {
    const rows = await countRows(site.database, "subscribers");
    const json = await post("/newsletter", { email: newEmail(), ...bot });
    expect(json.status).toBe(200);
    expect(JSON.parse(json.text).toast.title).toBe("🎉 Success!");
    const form = await postForm("/newsletter", { email: newEmail(), ...bot });
    expect(form.status).toBe(303);
    expect(await countRows(site.database, "subscribers")).toBe(rows);
    expect(await site.metric("rate_limited_total", { limited: "honeypot" })).toBeGreaterThan(0);
  });

  it("accepts forms that leave it empty, as browsers do", async () => {
    const rows = await countRows(site.database, "subscribers");
    const answer = await postForm("/newsletter", { email: newEmail(), [HONEYPOT_FIELD]: "" });
    expect(answer.status).toBe(303);
    expect(await countRows(site.database, "subscribers")).toBe(rows + 1);
  });
});
