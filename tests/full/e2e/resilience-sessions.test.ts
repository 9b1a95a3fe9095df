import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { send, Visitor } from "../../support/http-client";
import { createTestDatabase, type TestDatabase } from "../../support/postgres";
import { type Program, startProgram, temporaryDirectory } from "../../support/program";
import { expectSecurityHeaders, policyOf } from "../../support/security-headers";

const password = "a long walk";
const data = temporaryDirectory();
let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
afterAll(async () => {
  await testDatabase?.drop();
  data.remove();
});

const start = (variables: Record<string, string>) =>
  startProgram({
    variables: { DATABASE_URL: testDatabase.url, DATA_DIR: data.path, ...variables },
  });

/** Returns the account that a page shows as signed in, or null. */
const shownIn = (text: string) => /[\w-]+@example\.test/.exec(text)?.[0] ?? null;

describe("a site on https", () => {
  const PUBLIC_URL = "https://book.example";
  let program: Program;
  const visitor = () => new Visitor(program.origin, { Host: "book.example" }, PUBLIC_URL);

  beforeAll(async () => {
    program = await start({ PUBLIC_URL, TRUST_PROXY: "1", HSTS_INCLUDE_SUBDOMAINS: "true" });
  });
  afterAll(() => program?.stop());

  it("binds every cookie to this host and to https", async () => {
    const answer = await visitor().post("/auth/signup", {
      form: { email: "https@example.test", password },
    });
    expect(answer.headers.location).toMatch(/^\/auth\?signed-in=\w+$/);
    const names = answer.cookies.map((line) => line.slice(0, line.indexOf("=")));
    expect(names).toEqual(expect.arrayContaining(["__Host-session", "__Host-flash"]));
    const attributes = (line = "") =>
      line
        .split("; ")
        .slice(1)
        .map((part) => part.toLowerCase());
    for (const line of answer.cookies) {
      expect(line).toMatch(/^__Host-/);
      expect(attributes(line)).toEqual(
        expect.arrayContaining(["secure", "httponly", "samesite=lax", "path=/"]),
      );
      expect(line).not.toMatch(/domain=/i);
    }
  });

  it("ignores a session cookie without the prefix, which another subdomain could set", async () => {
    const mine = visitor();
    await mine.signUp("prefix@example.test");
    expect(shownIn((await mine.get("/")).text)).toBe("prefix@example.test");
    const cookie = mine.cookie.replace("__Host-session", "session");
    const page = await send(`${program.origin}/`, { cookie, headers: { Host: "book.example" } });
    expect(shownIn(page.text)).toBeNull();
  });

  it("shows no message from a cookie without the prefix either", async () => {
    const mine = visitor();
    await mine.post("/notice", { form: { notice: "purchase", redirectTo: "/" } });
    const [flash = ""] = mine.cookie.split("; ");
    const get = (cookie: string) =>
      send(`${program.origin}/`, { cookie, headers: { Host: "book.example" } });
    expect(flash).toMatch(/^__Host-flash=/);
    expect((await get(flash)).text).toContain("Purchase Feature Coming Soon!");
    const planted = await get(flash.replace("__Host-", ""));
    expect(planted.text).not.toContain("Purchase Feature Coming Soon!");
    expect(planted.headers["cache-control"]).toContain("public");
  });

  it("sends HSTS with every response, with subdomains if configured", async () => {
    const headers = { Host: "book.example" };
    for (const path of ["/", "/auth/forgot-password", "/nothing", "/robots.txt", "/premium"]) {
      const answer = await send(program.origin + path, { headers });
      expect(answer.headers["strict-transport-security"]).toBe(
        "max-age=31536000; includeSubDomains",
      );
      expectSecurityHeaders(answer);
    }
    const page = await send(`${program.origin}/`, { headers });
    expect(policyOf(page)).toHaveProperty("upgrade-insecure-requests");
  });

  it("accepts forms from its own https pages only", async () => {
    const json = { email: "form@example.test" };
    const post = (Origin: string) =>
      send(`${program.origin}/newsletter`, { json, headers: { Host: "book.example", Origin } });
    expect((await post("http://book.example")).status).toBe(403);
    expect((await post("https://www.book.example")).status).toBe(403);
    expect((await post(PUBLIC_URL)).status).toBe(200);
  });
});

describe("a session", () => {
  let program: Program;
  beforeAll(async () => {
    program = await start({ SESSION_SECRET: OLD });
  });
  afterAll(() => program?.stop());

  const OLD = "the old secret of thirty-two characters at least";
  const NEW = "the new secret of thirty-two characters at least";

  it("that was planted in a browser is invalid after signing in there", async () => {
    const attacker = new Visitor(program.origin);
    await attacker.signUp("attacker@example.test");
    const victim = new Visitor(program.origin);
    await victim.signUp("victim@example.test");

    const planted = new Visitor(program.origin);
    planted.cookie = attacker.cookie;
    const email = "victim@example.test";
    await planted.post("/auth/login", { json: { email, password } });
    expect(planted.valueOf("session")).not.toBe(attacker.valueOf("session"));
    expect(shownIn((await planted.get("/")).text)).toBe(email);
    expect(shownIn((await attacker.get("/")).text)).toBeNull();
  });

  it("is a new one at each sign-in", async () => {
    const email = "often@example.test";
    const visitor = new Visitor(program.origin);
    await visitor.signUp(email);
    const cookies = new Set([visitor.valueOf("session")]);
    for (let i = 0; i < 2; i++) {
      const next = new Visitor(program.origin);
      await next.post("/auth/login", { json: { email, password } });
      cookies.add(next.valueOf("session"));
    }
    expect(cookies.size).toBe(3);
  });

  it("cannot be forged or changed", async () => {
    const visitor = new Visitor(program.origin);
    await visitor.signUp("changed@example.test");
    const [token = "", signature = ""] = visitor.valueOf("session").split(".");
    for (const forged of [
      `session=${token}`,
      `session=${token}.`,
      `session=${token}.${signature.slice(0, -1)}`,
      `session=${token.slice(2)}.${signature}`,
      `session=${"A".repeat(4_000)}.${signature}`,
      "session=%00",
      "session=.",
    ]) {
      const page = await send(`${program.origin}/`, { cookie: forged });
      expect(page.status).toBe(200);
      expect(shownIn(page.text)).toBeNull();
    }
    expect(shownIn((await visitor.get("/")).text)).toBe("changed@example.test");
  });

  it("stays valid when the secret is replaced, and ends when the old one is removed; new ones are signed with the newest", async () => {
    const early = new Visitor(program.origin);
    await early.signUp("early@example.test");
    const earlyCookie = early.cookie;
    const port = new URL(program.origin).port;
    await program.stop();

    program = await start({ PORT: port, SESSION_SECRET: `${NEW},${OLD}` });
    expect(shownIn((await early.get("/")).text)).toBe("early@example.test");
    const late = new Visitor(program.origin);
    await late.signUp("late@example.test");
    await program.stop();

    program = await start({ PORT: port, SESSION_SECRET: NEW });
    expect(shownIn((await late.get("/")).text)).toBe("late@example.test");
    const page = await send(`${program.origin}/`, { cookie: earlyCookie });
    expect(shownIn(page.text)).toBeNull();
  });
});
