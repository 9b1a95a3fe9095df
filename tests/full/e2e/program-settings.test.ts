import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { send } from "../../support/http-client";
import { createTestDatabase, type TestDatabase } from "../../support/postgres";
import { type Program, runProgram, startProgram, temporaryDirectory } from "../../support/program";
import { startSmtpServer } from "../../support/smtp";

const data = temporaryDirectory();
let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
afterAll(async () => {
  await testDatabase?.drop();
  data.remove();
});

const launch = (variables: Record<string, string>) =>
  startProgram({
    variables: {
      DATABASE_URL: testDatabase.url,
      DATA_DIR: data.path,
      LOG_LEVEL: "info",
      RATE_LIMIT_FACTOR: "1",
      ...variables,
    },
  });

/** Removed at the end of the test. */
async function start(variables: Record<string, string>): Promise<Program> {
  const program = await launch(variables);
  onTestFinished(async () => void (await program.stop()));
  return program;
}

it("an invalid setting stops the start with one line, without the secret", async () => {
  const { code, stderr, stdout } = await runProgram({
    variables: {
      DATABASE_URL: testDatabase.url,
      DATA_DIR: data.path,
      PAYMENTS: "sandbox",
      STRIPE_SECRET_KEY: "sk_live_hunter2",
    },
  });
  expect(stderr).toMatch(
    /^STRIPE_SECRET_KEY: found a value of 15 characters, wanted no live key.*\n$/,
  );
  expect(stderr + stdout).not.toContain("hunter2");
  expect(code).toBe(1);
});

/** Returns the lines at the end of a start, by subject. */
function summaryOf({ output }: Program): { lines: Record<string, string>; warnings: string[] } {
  const lines: Record<string, string> = {};
  const warnings: string[] = [];
  for (const text of output().trim().split("\n")) {
    const { summary, msg, level } = JSON.parse(text);
    if (summary === "warning") {
      expect(level).toBe(40);
      warnings.push(msg);
    } else if (summary) lines[summary] = msg;
  }
  return { lines, warnings };
}

describe("a start ends with a summary", () => {
  it("lists an unconfigured site's missing settings, and where it stores its mail", async () => {
    const { lines, warnings } = summaryOf(await start({}));
    expect(Object.keys(lines)).toEqual([
      "address",
      "database",
      "mail",
      "payments",
      "trust",
      "missing",
    ]);
    expect(lines.address).toContain("listening on all interfaces");
    // hosts or a Unix socket's folder, without user and password
    expect(lines.database).toMatch(/^database: PostgreSQL at [^@\s]+$/);
    expect(lines.mail).toMatch(/outbox, sent to nobody$/);
    expect(lines.payments).toBe("payments: not configured, nothing is sold");
    expect(lines.trust).toContain("no proxy");
    expect(lines.missing).toBe(
      "missing: PUBLIC_URL, SMTP_URL, STRIPE_SECRET_KEY, SECURITY_CONTACT",
    );
    expect(warnings).toEqual([expect.stringContaining("SMTP_URL is not set")]);
  });

  it("reports nothing missing from a fully configured site, and no secret", async () => {
    const smtp = await startSmtpServer();
    const url = new URL(smtp.url);
    url.username = "postman";
    url.password = "hunter2";
    const { output } = await start({
      PUBLIC_URL: "https://book.example",
      TRUST_PROXY: "127.0.0.1,10.0.0.0/8",
      SMTP_URL: url.href,
      MAIL_FROM: "The Golden Path <letters@book.example>",
      STRIPE_SECRET_KEY: "sk_test_hunter2",
      STRIPE_PUBLISHABLE_KEY: "pk_test_1",
      STRIPE_PRICE_ID: "price_1",
      STRIPE_WEBHOOK_SECRET: "whsec_hunter2",
      STRIPE_API_BASE: "http://127.0.0.1:9",
      METRICS_TOKEN: "hunter2 and other animals",
      SECURITY_CONTACT: "security@book.example",
    });
    await smtp.close();
    const { lines, warnings } = summaryOf({ output } as Program);
    expect(lines).toMatchObject({
      mail: `mail: sent by ${url.hostname}`,
      payments: "payments: Stripe in test mode at http://127.0.0.1:9",
      trust: expect.stringContaining("proxies connecting from 127.0.0.1, 10.0.0.0/8"),
      missing: "missing: nothing",
    });
    expect(lines.address).toMatch(/^address: https:\/\/book\.example, /);
    expect(warnings).toEqual([]);
    const { username, password } = new URL(testDatabase.url);
    for (const secret of ["hunter2", "postman", "book.example>", "@book.example", password]) {
      expect(output()).not.toContain(secret);
    }
    expect(output()).not.toContain(`${username}:`);
  });

  it("warns of a local Stripe that others can reach", async () => {
    const open = await start({
      PAYMENTS: "sandbox",
      HOST: "0.0.0.0",
      ALLOW_PUBLIC_SANDBOX: "true",
    });
    expect(summaryOf(open).warnings).toEqual([
      expect.stringContaining("anyone can become a member for free"),
    ]);
    expect((await send(`${open.sandboxOrigin}/control`)).status).toBe(200);
  });
});

/** Whether a server answers at an address of this machine. */
const answers = (host: string, port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ host, port });
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("close", () => socket.destroy());
  });

describe("the local Stripe at default settings", () => {
  let site: Program;
  beforeAll(async () => {
    const SECURITY_CONTACT = "security@book.example, https://book.example/report";
    site = await launch({ PAYMENTS: "sandbox", SECURITY_CONTACT });
  });
  afterAll(() => site?.stop());

  it("has its address in the summary, without a warning", () => {
    const { lines, warnings } = summaryOf(site);
    expect(lines.payments).toBe(`payments: the local Stripe at ${site.sandboxOrigin}`);
    expect(lines.address).toMatch(/listening on 127\.0\.0\.1( and ::1)?, port/);
    expect(warnings).toEqual([]);
  });

  it("is reachable at each loopback name and nowhere else", async () => {
    const port = Number(new URL(site.origin).port);
    const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    for (const { address, internal, scopeid } of addresses) {
      // link-local addresses need their interface
      if (scopeid) continue;
      expect(await answers(address, port), address).toBe(internal);
      expect(await answers(address, port + 1), address).toBe(internal);
    }
    const control = `http://localhost:${port + 1}/control`;
    for (const url of [site.origin, `http://127.0.0.1:${port}`, control]) {
      expect((await fetch(url)).status).toBe(200);
    }
  });

  it("names the security contact as RFC 9116 requires", async () => {
    const answer = await send(`${site.origin}/.well-known/security.txt`);
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toBe("text/plain; charset=utf-8");
    const [expires] = /(?<=^Expires: ).*$/m.exec(answer.text) ?? [];
    expect(answer.text.trim().split("\n")).toEqual([
      "Contact: mailto:security@book.example",
      "Contact: https://book.example/report",
      `Expires: ${expires}`,
      "Preferred-Languages: en",
      `Canonical: ${site.origin}/.well-known/security.txt`,
    ]);
    const days = (Date.parse(expires ?? "") - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(30);
    expect(days).toBeLessThan(365);
  });
});
