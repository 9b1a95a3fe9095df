import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { HONEYPOT_FIELD } from "~/ui/honeypot-field";
import { type Answer, send, Visitor } from "../../support/http-client";
import { type Program, startProgram } from "../../support/program";
import {
  METRICS_TOKEN,
  type ProgramSite,
  readMetric,
  startProgramSite,
} from "../../support/program-site";
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
/** Further instances on the same database, without a proxy and behind two. */
let direct: Program;
let deep: Program;

beforeAll(async () => {
  const variables = {
    RATE_LIMIT_FACTOR: FACTOR,
    SESSION_SECRET: "the secret of all these instances",
  };
  site = await startProgramSite({ ...variables, PAYMENTS: "sandbox", TRUST_PROXY: "1" });
  const shared = {
    ...variables,
    DATABASE_URL: site.databaseUrl,
    DATA_DIR: site.dataDir,
    METRICS_TOKEN,
  };
  [direct, deep] = await Promise.all([
    startProgram({ variables: { ...shared, TRUST_PROXY: "0" } }),
    startProgram({ variables: { ...shared, TRUST_PROXY: "2" } }),
  ]);
});
afterAll(async () => {
  await Promise.all([direct?.stop(), deep?.stop()]);
  await site?.close();
});

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
const visitorFrom = (from: string, { origin } = site as { origin: string }) =>
  new Visitor(origin, { "X-Forwarded-For": from });

const post = (path: string, fields: Record<string, string>, from = address) =>
  visitorFrom(from).post(path, { json: fields });

const postForm = (path: string, fields: Record<string, string>, from = address) =>
  visitorFrom(from).post(path, { form: fields });

/** Makes so many attempts; returns how many are allowed before the rest are rejected. */
async function allowedOf(attempts: number, attempt: (i: number) => Promise<Answer>) {
  const statuses: number[] = [];
  for (let i = 0; i < attempts; i++) statuses.push((await attempt(i)).status);
  const allowed = statuses.filter((status) => status !== 429).length;
  // after the first rejection, all are rejected
  expect(statuses.slice(allowed)).toEqual(Array(attempts - allowed).fill(429));
  return allowed;
}

describe("too many attempts", () => {
  const password = "not the right one";

  it.each<[keyof typeof ALLOWED, string, (email: string) => Record<string, string>]>([
    ["login", "/auth/login", (email) => ({ email, password })],
    ["signup", "/auth/signup", (email) => ({ email, password: "short" })],
    ["newsletter", "/newsletter", (email) => ({ email })],
  ])(
    "of %s are rejected by account, from the same network but from no other",
    async (way, path, fields) => {
      const email = newEmail();
      const limit = ALLOWED[way].account;
      const attempt = (i: number) => post(path, fields(i % 2 ? email : ` ${email.toUpperCase()}`));
      expect(await allowedOf(limit + 2, attempt)).toBe(limit);
      expect((await post(path, fields(newEmail()))).status).not.toBe(429);
      expect((await post(path, fields(email), newAddress())).status).not.toBe(429);
    },
  );

  it.each<[keyof typeof ALLOWED, string, (email: string) => Record<string, string>]>([
    ["login", "/auth/login", (email) => ({ email, password })],
    ["signup", "/auth/signup", (email) => ({ email, password: "short" })],
    ["newsletter", "/newsletter", (email) => ({ email })],
    ["checkout", "/checkout", () => ({ priceId: SANDBOX_STRIPE.priceId })],
  ])("of %s are rejected by client address, whatever the account", async (way, path, fields) => {
    const limit = ALLOWED[way].address;
    expect(await allowedOf(limit + 2, () => post(path, fields(newEmail())))).toBe(limit);
    expect((await post(path, fields(newEmail()), newAddress())).status).not.toBe(429);
  });

  it("to request a password reset are rejected, by account and by address", async () => {
    const email = newEmail();
    const ask = (who: string, from?: string) =>
      postForm("/auth/forgot-password", { email: who }, from);
    expect(await allowedOf(3, () => ask(email))).toBe(ALLOWED.reset.account);
    const other = newAddress();
    expect(await allowedOf(6, () => ask(newEmail(), other))).toBe(ALLOWED.reset.address);
  });

  it("to check out are rejected by account, whatever the address", async () => {
    const visitor = visitorFrom(address);
    await visitor.signUp(newEmail());
    const limit = ALLOWED.checkout.account;
    const attempt = () =>
      visitor.post("/checkout", {
        json: { priceId: "price_of_something_else" },
        headers: { "X-Forwarded-For": newAddress() },
      });
    expect(await allowedOf(limit + 1, attempt)).toBe(limit);
  });

  it("have no effect", async () => {
    const email = newEmail();
    for (let i = 0; i <= ALLOWED.newsletter.address; i++) {
      await post("/newsletter", { email: newEmail() });
    }
    const before = await readContents(site.database);
    expect((await post("/newsletter", { email })).status).toBe(429);
    expect((await postForm("/newsletter", { email })).status).toBe(429);
    expect(changedTables(before, await readContents(site.database))).toEqual([]);
  });

  it("in a flood cause no queries", async () => {
    const email = newEmail();
    await allowedOf(4, () => post("/auth/login", { email, password }));
    const queries = () => site.metric("database_query_duration_seconds_count", { pool: "site" });
    for (let i = 0; i < 12; i++) await post("/auth/login", { email, password });
    const before = await queries();
    for (let i = 0; i < 40; i++) await post("/auth/login", { email, password });
    // each reading of the metrics makes one
    expect((await queries()) - before).toBeLessThanOrEqual(5);
    expect(
      await site.metric("rate_limited_total", { limited: "login", by: "account-from-network" }),
    ).toBeGreaterThan(20);
  });

  it("expire with their window", async () => {
    const email = newEmail();
    const attempt = (origin: { origin: string }) =>
      visitorFrom(`${address}, ${address}`, origin).post("/newsletter", { json: { email } });
    expect(await allowedOf(3, () => attempt(site))).toBe(2);
    await site.database.db.execute(
      sql`update rate_limits set expire = now() - interval '1 second'`,
    );
    // another instance, since the first one caches its rejections in memory
    expect((await attempt(deep)).status).toBe(409);
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
      title: "Password Reset Failed",
      limit: ALLOWED.reset.account,
      heading: "Send me a link",
    },
  ];
  const words = /Too many attempts\. Please try again in (a minute|\d+ minutes)\./;

  it.each(cases)(
    "at $path without JavaScript gets the page, the toast and the typed address back",
    async ({ path, title, limit, heading }) => {
      const email = newEmail();
      const attempt = () => postForm(path, { email, password: "secret" });
      for (let i = 0; i < limit; i++) await attempt();
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
      // the toast is on this page, and must not show on the next again
      expect(rejected.cookies.filter((line) => !/max-age=0/i.test(line))).toEqual([]);
    },
  );

  it.each(cases.slice(0, 3))(
    "at $path with JavaScript gets the same as JSON",
    async ({ path, title, limit }) => {
      const email = newEmail();
      const attempt = () => post(path, { email, password: "secret" });
      for (let i = 0; i < limit; i++) await attempt();
      const rejected = await attempt();
      expect(rejected.status).toBe(429);
      expect(Number(rejected.headers["retry-after"])).toBeGreaterThan(60);
      expect(JSON.parse(rejected.text)).toMatchObject({
        toast: { title, description: expect.stringMatching(words), variant: "destructive" },
        error: expect.stringMatching(words),
      });
    },
  );

  it("at checkout gets the reason, as form and as JSON", async () => {
    const visitor = visitorFrom(address);
    await visitor.signUp(newEmail());
    const priceId = "price_of_something_else";
    for (let i = 0; i < ALLOWED.checkout.account; i++) {
      await visitor.post("/checkout", { json: { priceId } });
    }
    const json = await visitor.post("/checkout", { json: { priceId } });
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

describe("several instances", () => {
  it("count together", async () => {
    const email = newEmail();
    const attempt = (instance: { origin: string }) =>
      visitorFrom(`${address}, ${address}`, instance).post("/auth/login", {
        json: { email, password: "wrong one" },
      });
    expect((await attempt(site)).status).toBe(401);
    expect((await attempt(deep)).status).toBe(401);
    expect((await attempt(site)).status).toBe(429);
    expect((await attempt(deep)).status).toBe(429);
    expect(await readMetric(deep.origin, "rate_limited_total", { limited: "login" })).toBe(1);
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

  it("accepts forms in which it is empty, as sent by browsers", async () => {
    const rows = await countRows(site.database, "subscribers");
    const answer = await postForm("/newsletter", { email: newEmail(), [HONEYPOT_FIELD]: "" });
    expect(answer.status).toBe(303);
    expect(await countRows(site.database, "subscribers")).toBe(rows + 1);
  });
});
