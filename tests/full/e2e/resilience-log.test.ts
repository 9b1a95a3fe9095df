import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { openEmbeddedDatabase } from "../../support/embedded-database";
import { openConnection, send, Visitor } from "../../support/http-client";
import { linkIn, type Mail, readMail } from "../../support/mail";
import { control } from "../../support/payments";
import { type Program, startProgram, temporaryDirectory } from "../../support/program";
import { METRICS_TOKEN } from "../../support/program-site";

const email = "somebody-private@example.test";
const other = "somebody-else@example.test";
const passwords = ["a long private walk", "another private walk", "a wrong private guess"] as const;
const SESSION_SECRET = "the private secret that signs these cookies";

let program: Program;
const data = temporaryDirectory();
/** Secrets and personal data that the log must not contain. */
const secrets: Record<string, string> = {
  "an e-mail address": email,
  "another e-mail address": other,
  "the password": passwords[0],
  "the new password": passwords[1],
  "the wrong password": passwords[2],
  "the session secret": SESSION_SECRET,
  "the metrics' token": METRICS_TOKEN,
  "the Stripe key": SANDBOX_STRIPE.secretKey,
  "the webhook secret": SANDBOX_STRIPE.webhookSecret,
  "a password hash": "$argon2id$",
  "a card number": "4242424242424242",
};

beforeAll(async () => {
  program = await startProgram({
    variables: {
      DATA_DIR: data.path,
      PAYMENTS: "sandbox",
      LOG_LEVEL: "debug",
      SESSION_SECRET,
      METRICS_TOKEN,
      NEWSLETTER_DOUBLE_OPT_IN: "true",
    },
  });
});
afterAll(async () => {
  await program?.stop();
  data.remove();
});

const visitor = () => new Visitor(program.origin);

function mailWith(subject: string): Promise<Mail> {
  const outbox = join(data.path, "outbox");
  return vi.waitUntil(
    () =>
      (readdirSync(data.path).includes("outbox") ? readdirSync(outbox) : [])
        .filter((name) => name.endsWith(".eml"))
        .map((name) => readMail(readFileSync(join(outbox, name))))
        .find(({ headers }) => headers.subject === subject),
    { timeout: 60_000 },
  );
}

/** Records the token of a mailed link as a secret, and returns the link's path. */
function follow(name: string, link: URL): string {
  secrets[name] = link.searchParams.get("token") ?? "";
  return link.pathname + link.search;
}

it("identifies people by id only and contains no personal data, whatever they do and whatever fails", async () => {
  const reader = visitor();
  await reader.signUp(email, passwords[0]);
  secrets["the session cookie"] = reader.valueOf("session");
  const [payload = ""] = secrets["the session cookie"].split(".");
  secrets["the session's token"] = JSON.parse(Buffer.from(payload, "base64").toString());

  // accounts: wrong and right credentials, without JavaScript, a taken address, a new password
  await visitor().post("/auth/login", { json: { email, password: passwords[2] } });
  await visitor().post("/auth/login", { form: { email, password: passwords[2] } });
  await visitor().post("/auth/login", { form: { email, password: passwords[0] } });
  await visitor().post("/auth/signup", { json: { email, password: passwords[0] } });
  await visitor().post("/auth/forgot-password", { form: { email } });
  const reset = follow(
    "a reset link",
    linkIn(await mailWith("Choose a new password"), "/auth/reset-password"),
  );
  const forgetful = visitor();
  await forgetful.get(reset);
  const changed = await forgetful.post(reset, {
    form: { token: String(secrets["a reset link"]), password: passwords[1] },
  });
  expect(changed.headers.location).toMatch(/^\/auth\?signed-in=\w+$/);

  // the newsletter: subscribing, confirming, again, unsubscribing
  await visitor().post("/newsletter", { form: { email: other } });
  const mail = await mailWith("One step left: confirm your email");
  const confirm = follow("a confirmation link", linkIn(mail, "/newsletter/confirm"));
  await visitor().get(confirm);
  await visitor().post(confirm, { form: { token: String(secrets["a confirmation link"]) } });
  await visitor().post("/newsletter", { json: { email: other } });
  const unsubscribe = String(mail.headers["list-unsubscribe"]).replace(/[<>]/g, "");
  await visitor().get(follow("an unsubscribe link", new URL(unsubscribe)));
  await send(unsubscribe, { form: { "List-Unsubscribe": "One-Click" } });

  // a payment with its webhooks, and a forged webhook
  const checkout = await forgetful.post("/checkout", { json: { priceId: SANDBOX_STRIPE.priceId } });
  const { sessionId } = JSON.parse(checkout.text) as { sessionId: string };
  await control(program.sandboxOrigin, `sessions/${sessionId}/pay`);
  await control(program.sandboxOrigin, "webhooks/settle");
  expect((await forgetful.get("/premium")).status).toBe(200);
  await forgetful.get(`/checkout/success?session_id=${sessionId}`);
  await forgetful.post("/billing", { form: {} });
  await send(`${program.origin}/webhooks/stripe`, {
    method: "POST",
    body: JSON.stringify({ customer_email: email }),
    headers: { "Stripe-Signature": "t=1,v1=forged" },
  });

  // invalid requests
  const [name, domain] = email.split("@");
  for (const at of ["@", "%40", "%2540", "%252540", "\uff20", "%EF%BC%A0", "%ef%b9%ab", "\ufe6b"]) {
    // over a raw connection: HTTP clients would not send non-ASCII characters
    for (const path of [
      `/people/${name}${at}${domain}`,
      `/${name?.toUpperCase()}${at}${domain}/x`,
    ]) {
      const connection = await openConnection(program.origin);
      connection.write(Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`));
      await connection.until(/\r\n\r\n/);
      connection.destroy();
    }
  }
  await send(`${program.origin}/`, { headers: { Referer: `http://localhost/${email}` } });
  await send(`${program.origin}/nothing`, {
    headers: { Referer: `http://localhost/?email=${email}`, "User-Agent": email },
  });
  await send(`${program.origin}/?email=${email}&password=${encodeURIComponent(passwords[0])}`);
  await send(`${program.origin}/newsletter`, { method: "POST", body: email });
  await send(`${program.origin}/newsletter`, { json: { email: [email, other] } });
  await send(`${program.origin}/metrics`, {
    headers: { Authorization: `Bearer ${METRICS_TOKEN}` },
  });

  // a database failure
  const database = await openEmbeddedDatabase(data.path);
  const rename = (from: string, to: string) =>
    database.db.execute(sql`alter table ${sql.identifier(from)} rename to ${sql.identifier(to)}`);
  for (const table of ["users", "subscribers", "sessions", "rate_limits"]) {
    await rename(table, "away");
    await visitor().post("/auth/login", { json: { email, password: passwords[1] } });
    await visitor().post("/auth/signup", { json: { email: other, password: passwords[0] } });
    await visitor().post("/newsletter", { json: { email: other } });
    await forgetful.get("/");
    await rename("away", table);
  }
  await database.close();
  const last = await forgetful.post("/logout", { form: {} });
  expect(last.headers.location).toBe("/");

  // every request has a log line, whose id is in the response
  const lines = await vi.waitUntil(() => {
    const all = program.output().trim().split("\n");
    return all.some((line) => line.includes(String(last.headers["x-request-id"]))) ? all : null;
  });
  expect(lines.length).toBeGreaterThan(50);
  for (const line of lines) {
    expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number), msg: expect.any(String) });
  }
  expect(lines.filter((line) => JSON.parse(line).level >= 50).length).toBeGreaterThan(3);

  const databaseLog = readFileSync(join(data.path, "postgres.log"), "utf8");
  for (const [what, secret] of Object.entries(secrets)) {
    expect(secret.length, what).toBeGreaterThan(8);
    const parts = what.includes("e-mail") ? [secret.split("@")[0] ?? ""] : [];
    for (const form of [
      ...parts,
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
    ]) {
      expect(
        lines.filter((line) => line.toLowerCase().includes(form.toLowerCase())),
        what,
      ).toEqual([]);
      expect(databaseLog.includes(form), `${what} in the database's log`).toBe(false);
    }
  }
});
