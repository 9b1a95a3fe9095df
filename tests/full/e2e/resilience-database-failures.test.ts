import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { type Database, openDatabase } from "~db/client";
import { EFFECT_TIMEOUT } from "../../support/effect-timeout.mjs";
import { send, Visitor } from "../../support/http-client";
import { OwnPostgres } from "../../support/own-postgres";
import { control } from "../../support/payments";
import { type Program, startProgram, temporaryDirectory } from "../../support/program";
import { METRICS_TOKEN, readMetric } from "../../support/program-site";

let postgres: OwnPostgres;
let program: Program;
let database: Database;
const data = temporaryDirectory();

beforeAll(async () => {
  postgres = await OwnPostgres.create();
  program = await startProgram({
    variables: {
      DATABASE_URL: postgres.url,
      DATA_DIR: data.path,
      PAYMENTS: "sandbox",
      LOG_LEVEL: "info",
      METRICS_TOKEN,
    },
  });
  database = openDatabase(postgres.url);
});
afterAll(async () => {
  await program?.stop();
  await database?.close();
  await postgres?.remove();
  data.remove();
});

const visitor = () => new Visitor(program.origin);
const status = async (path: string) => (await send(program.origin + path)).status;

/** Waits until the program reports that it is ready again. */
const recovered = () => expect.poll(() => status("/readyz")).toBe(200);

/** The mails with a link for a new password. */
function passwordResets(): string[] {
  const folder = join(data.path, "outbox");
  if (!readdirSync(data.path).includes("outbox")) return [];
  return readdirSync(folder).filter((name) =>
    readFileSync(join(folder, name), "utf8").includes("Subject: Choose a new password"),
  );
}

describe("while PostgreSQL is stopped", () => {
  const reader = "reader@example.test";
  const password = "a long walk";
  let signedIn: Visitor;
  let checkoutSession: string;

  beforeAll(async () => {
    signedIn = visitor();
    await signedIn.signUp(reader, password);
    const checkout = await signedIn.post("/checkout", {
      json: { priceId: SANDBOX_STRIPE.priceId },
    });
    checkoutSession = JSON.parse(checkout.text).sessionId;
    await postgres.stop();
  });

  it("reports that it is alive but not ready", async () => {
    expect(await status("/healthz")).toBe(200);
    expect(await status("/readyz")).toBe(503);
  });

  it("shows pages and files to all visitors", async () => {
    for (const path of ["/", "/auth?tab=signup", "/auth/forgot-password", "/favicon.ico"]) {
      expect([path, await status(path)]).toEqual([path, 200]);
    }
  });

  it("shows a signed-in visitor the anonymous page, keeps the session and logs the failure", async () => {
    const { cookie } = signedIn;
    const page = await signedIn.get("/");
    expect(page.status).toBe(200);
    expect(page.text).toContain("Sign Up");
    expect(page.text).not.toContain("Something went wrong");
    expect(signedIn.cookie).toBe(cookie);
    expect(program.output()).toContain(
      "the viewer could not be read; the page is shown signed out",
    );
  });

  it.each<[string, string, Record<string, string>, string, string]>([
    [
      "log in",
      "/auth/login",
      { email: reader, password },
      "Sign in Failed",
      "Something went wrong",
    ],
    [
      "sign up",
      "/auth/signup",
      { email: "late@example.test", password },
      "Sign up Failed",
      "An unexpected error occurred. Please try again.",
    ],
    [
      "join the newsletter",
      "/newsletter",
      { email: "late@example.test" },
      "Uh oh! Something went wrong.",
      "There was a problem with your subscription.",
    ],
    ["log out", "/logout", {}, "Sign out Failed", "Something went wrong"],
  ])(
    "rejects the form to %s with the failure toast, with and without JavaScript",
    async (_what, path, fields, title, description) => {
      const { cookie } = signedIn;
      const json = await send(program.origin + path, { json: fields, cookie });
      expect(json.status).toBe(500);
      expect(JSON.parse(json.text).toast).toEqual({ title, description, variant: "destructive" });

      const browser = visitor();
      browser.cookie = cookie;
      const form = await browser.post(path, { form: fields });
      expect(form.status).toBe(303);
      const page = await browser.get(String(form.headers.location));
      expect(page.status).toBe(200);
      expect(page.text).toContain(title);
      if (fields.email) expect(page.text).toContain(`value="${fields.email}"`);
      // the visitor's cookie is not deleted
      expect(browser.cookie).toContain(cookie);
    },
  );

  it("rejects a checkout with a message", async () => {
    const answer = await signedIn.post("/checkout", { json: { priceId: SANDBOX_STRIPE.priceId } });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(JSON.parse(answer.text).error).toMatch(/\.$/);
  });

  it("promises no mail that it cannot store", async () => {
    const browser = visitor();
    const answer = await browser.post("/auth/forgot-password", { form: { email: reader } });
    expect(answer.headers.location).toBe("/auth/forgot-password");
    const page = await browser.get("/auth/forgot-password");
    expect(page.text).toContain("Password reset failed");
    expect(page.text).toContain(`value="${reader}"`);
  });

  it("fails a webhook, so that Stripe retries it", async () => {
    await control(program.sandboxOrigin, `sessions/${checkoutSession}/pay`);
    await expect
      .poll(() => readMetric(program.origin, "stripe_webhooks_total", { outcome: "failed" }))
      .toBeGreaterThan(0);
  });

  it("recovers without help once PostgreSQL is back, and processes pending work", async () => {
    await postgres.start();
    await recovered();
    // the same session
    const page = await signedIn.get("/");
    expect(page.text).toContain(reader);

    // earlier failed attempts do not block subscribing and signing up
    const late = { email: "late@example.test", password };
    expect((await visitor().post("/newsletter", { json: late })).status).toBe(200);
    expect((await visitor().post("/auth/signup", { json: late })).status).toBe(200);
    expect(
      (await visitor().post("/auth/login", { json: { email: reader, password } })).status,
    ).toBe(200);

    // the retried webhook brings the payment, without intervention
    await vi.waitUntil(async () => {
      const [row] = await database.db.execute(
        sql`select stripe_price_id as price from profiles where stripe_price_id is not null`,
      );
      return row !== undefined;
    }, EFFECT_TIMEOUT);
    expect((await signedIn.get("/premium")).status).toBe(200);

    expect(passwordResets()).toEqual([]);
    await visitor().post("/auth/forgot-password", { form: { email: reader } });
    await vi.waitUntil(() => passwordResets().length > 0, EFFECT_TIMEOUT);
  });

  it("has left no address, password or session in the log", () => {
    const output = program.output();
    expect(output).toContain('"level":50');
    for (const secret of [reader, "late@example.test", password, signedIn.cookie.slice(0, 40)]) {
      expect(output).not.toContain(secret);
    }
  });
});

describe("while PostgreSQL does not answer", () => {
  it("still serves pages, answers forms, and recovers with the database", async () => {
    const signedIn = visitor();
    await signedIn.signUp("patient@example.test");
    await postgres.freeze();
    try {
      const [anonymous, personal, ready, newsletter, login] = await Promise.all([
        send(`${program.origin}/`),
        signedIn.get("/"),
        send(`${program.origin}/readyz`),
        visitor().post("/newsletter", { json: { email: "frozen@example.test" } }),
        visitor().post("/auth/login", {
          json: { email: "patient@example.test", password: "a long walk" },
        }),
      ]);
      expect(anonymous.status).toBe(200);
      expect(personal.status).toBe(200);
      expect(ready.status).toBe(503);
      for (const { status, text } of [newsletter, login]) {
        expect(status).toBe(500);
        expect(JSON.parse(text).toast.variant).toBe("destructive");
      }
    } finally {
      await postgres.thaw();
    }
    await recovered();
    expect((await signedIn.get("/")).text).toContain("patient@example.test");
    expect(
      (await visitor().post("/newsletter", { json: { email: "thawed@example.test" } })).status,
    ).toBe(200);
  });
});

describe("when PostgreSQL crashes under load", () => {
  it("loses no acknowledged write, and needs no restart of the site", async () => {
    const kept: string[] = [];
    let stop = false;
    const load = Array.from({ length: 8 }, async (_, number) => {
      for (let i = 0; !stop; i++) {
        const email = `crash-${number}-${i}@example.test`;
        const answer = await visitor().post("/newsletter", { json: { email } });
        if (answer.status === 200) kept.push(email);
      }
    });
    const twentyMore = async () => {
      const before = kept.length;
      await expect.poll(() => kept.length).toBeGreaterThan(before + 20);
    };
    await twentyMore();
    await postgres.stop();
    await postgres.start();
    await twentyMore();
    stop = true;
    await Promise.all(load);

    const rows = await database.db.execute<{ email: string }>(sql`select email from subscribers`);
    const stored = new Set(rows.map(({ email }) => email));
    expect(kept.filter((email) => !stored.has(email))).toEqual([]);
    expect(await status("/readyz")).toBe(200);
  });
});
