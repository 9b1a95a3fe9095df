import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { send, Visitor } from "../../support/http-client";
import { type ProgramSite, startProgramSite } from "../../support/program-site";

/** At default limits, behind one proxy, which adds the client's address. */
let site: ProgramSite;
beforeAll(async () => {
  site = await startProgramSite({ RATE_LIMIT_FACTOR: "1", TRUST_PROXY: "1", LOG_LEVEL: "info" });
});
afterAll(() => site?.close());

const PASSWORD = "a long walk";
let count = 0;
const newEmail = () => `owner-${++count}@example.test`;
/** An address in a /24 that is not used yet. */
const newAddress = () => `198.${18 + Math.floor(++count / 250)}.${count % 250}.1`;

const from = (address: string) => new Visitor(site.origin, { "X-Forwarded-For": address });

async function newOwner(): Promise<{ email: string; browser: Visitor }> {
  const email = newEmail();
  const browser = from(newAddress());
  await browser.signUp(email, PASSWORD);
  await browser.post("/logout", { form: {} });
  return { email, browser };
}

const logIn = (visitor: Visitor, email: string, password = PASSWORD) =>
  visitor.post("/auth/login", { json: { email, password } });

const guess = (address: string, email: string) => logIn(from(address), email, "a wrong one");

/** Makes this many attempts, and counts them by status. */
async function statusesOf(attempts: number, attempt: (i: number) => Promise<{ status: number }>) {
  const counted: Record<number, number> = {};
  for (let i = 0; i < attempts; i++) {
    const { status } = await attempt(i);
    counted[status] = (counted[status] ?? 0) + 1;
  }
  return counted;
}

describe("an owner whose account is under attack", () => {
  it("can log in from another network after ten wrong passwords from elsewhere, which the security log records without an address", async () => {
    const { email } = await newOwner();
    const attacker = newAddress();
    expect(await statusesOf(12, () => guess(attacker, email))).toEqual({ 401: 10, 429: 2 });
    expect((await logIn(from(newAddress()), email)).status).toBe(200);

    const lines = site.program
      .output()
      .split("\n")
      .filter((line) => line.includes('"security":'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const ofAttacker = lines.filter(({ network }) => network === attacker);
    expect(ofAttacker.map(({ security }) => security)).toEqual([
      ...Array<string>(10).fill("sign-in-failed"),
      "limit-reached",
    ]);
    expect(ofAttacker[0]?.userId).toMatch(/^[0-9a-f-]{36}$/);
    expect(lines.map(({ security }) => security)).toContain("signed-in");
    expect(lines.map(({ security }) => security)).toContain("signed-up");
    expect(site.program.output()).not.toContain("@");
  });

  it("can log in from a known browser, however many networks guess, but not with a forged cookie", async () => {
    const { email, browser } = await newOwner();
    const guesses = await statusesOf(103, () => guess(newAddress(), email));
    expect(guesses).toEqual({ 401: 100, 429: 3 });
    // an unknown browser looks just like the attackers
    expect((await logIn(from(newAddress()), email)).status).toBe(429);
    const [name = "", value = ""] = browser.cookie.split(/=(.*)/);
    expect(name).toBe("known-browser");
    for (const forged of [`${name}=x${value}`, `${name}=${value.split(".")[0]}`, `${name}=`]) {
      const answer = await send(`${site.origin}/auth/login`, {
        json: { email, password: PASSWORD },
        cookie: forged,
        headers: { "X-Forwarded-For": newAddress() },
      });
      expect(answer.status).toBe(429);
    }
    expect((await logIn(browser, email)).status).toBe(200);
  });

  it("can log in from a known browser within the attacking network, whose rejected attempts do not count against the account", async () => {
    const { email, browser } = await newOwner();
    const attacker = newAddress();
    await statusesOf(50, (i) => guess(attacker, `${i}-${newEmail()}`));
    const counted = () =>
      site.database.db.execute(
        sql`select key, points from rate_limits where key like '%account%' order by key`,
      );
    const before = await counted();
    expect(await statusesOf(12, () => guess(attacker, email))).toEqual({ 429: 12 });
    expect(await counted()).toEqual(before);
    const inSameNetwork = await browser.post("/auth/login", {
      json: { email, password: PASSWORD },
      headers: { "X-Forwarded-For": attacker },
    });
    expect(inSameNetwork.status).toBe(200);
  });

  it("gives a known browser no extra guesses, and its cookie grants nothing else", async () => {
    const { email, browser } = await newOwner();
    const other = await newOwner();
    expect(await statusesOf(12, () => logIn(browser, email, "a wrong one"))).toEqual({
      401: 10,
      429: 2,
    });
    // an unknown browser for the other account
    const attacker = newAddress();
    const guessAsKnown = () =>
      send(`${site.origin}/auth/login`, {
        json: { email: other.email, password: "a wrong one" },
        cookie: browser.cookie,
        headers: { "X-Forwarded-For": attacker },
      });
    expect(await statusesOf(11, guessAsKnown)).toEqual({ 401: 10, 429: 1 });
    expect((await guess(attacker, other.email)).status).toBe(429);
  });

  it("can still request a password reset when others have used up their own requests", async () => {
    const { email } = await newOwner();
    const ask = (address: string) =>
      from(address).post("/auth/forgot-password", { form: { email } });
    const attacker = newAddress();
    expect(await statusesOf(7, () => ask(attacker))).toEqual({ 303: 5, 429: 2 });
    for (let i = 0; i < 10; i++) expect((await ask(newAddress())).status).toBe(303);
  });
});
