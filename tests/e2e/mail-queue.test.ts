import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { type Database, openDatabase } from "~db/client";
import { send } from "../support/http-client";
import { freePorts } from "../support/ports.mjs";
import { createTestDatabase, type TestDatabase } from "../support/postgres";
import { type Program, startProgram, temporaryDirectory } from "../support/program";
import { type SmtpSink, startSmtpSink } from "../support/smtp-sink";

const MAIL_FROM = "The Golden Path <letters@book.test>";

let testDatabase: TestDatabase;
let database: Database;
let sink: SmtpSink;
const data = temporaryDirectory();
const programs: Program[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url);
  sink = await startSmtpSink();
});
afterEach(async () => {
  for (const program of programs.splice(0)) await program.stop();
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
  await sink.stop();
  data.remove();
});

async function start(SMTP_URL = sink.url): Promise<Program> {
  const variables = { DATABASE_URL: testDatabase.url, DATA_DIR: data.path, MAIL_FROM, SMTP_URL };
  const program = await startProgram({ variables });
  programs.push(program);
  return program;
}

async function signUp({ origin }: Program, email: string): Promise<void> {
  const { status } = await send(`${origin}/auth/signup`, {
    json: { email, password: "a long walk" },
  });
  expect(status).toBe(200);
}

/** Sends the form; resolves when the answer has arrived. */
async function forgetPassword({ origin }: Program, email: string): Promise<void> {
  const answer = await send(`${origin}/auth/forgot-password`, { form: { email } });
  expect(answer.headers.location).toBe("/auth/forgot-password?sent");
}

const mailsTo = async (email: string) =>
  (await sink.deliveries()).filter(({ address }) => address === email);

async function stateOf(email: string) {
  const [row] = await database.db.execute<{ state: string; composed: boolean; doubts: number }>(
    sql`select state, message is not null as composed, times_in_doubt as doubts from mails
        where address_hash = sha256(convert_to(${email}, 'UTF8'))`,
  );
  return row;
}

it("sends the mail of a program that was killed right after its answer", async () => {
  const email = "forgetful@example.test";
  const port = await freePorts(1);
  const before = await start(`smtp://127.0.0.1:${port}`);
  await signUp(before, email);
  await forgetPassword(before, email);
  expect(await before.stop("SIGKILL")).toBe("SIGKILL");
  expect(await mailsTo(email)).toEqual([]);

  await start();
  await vi.waitUntil(async () => (await mailsTo(email)).length > 0, { timeout: 30_000 });
  expect(await mailsTo(email)).toHaveLength(1);
});

it("sends the mail of a program that was killed after composing it", async () => {
  const email = "composed@example.test";
  const before = await start(`smtp://127.0.0.1:${await freePorts(1)}`);
  await signUp(before, email);
  await forgetPassword(before, email);
  await vi.waitUntil(async () => (await stateOf(email))?.composed, { timeout: 10_000 });
  await before.stop("SIGKILL");

  await start();
  await vi.waitUntil(async () => (await mailsTo(email)).length > 0, { timeout: 30_000 });
  expect(await mailsTo(email)).toHaveLength(1);
});

it("resends what a killed program was sending, by another one, under the same Message-ID", async () => {
  const email = "in-doubt@example.test";
  await sink.script({ [email]: [{ hang: true }] });
  const killed = await start();
  await signUp(killed, email);
  await forgetPassword(killed, email);
  await vi.waitUntil(async () => (await mailsTo(email)).length === 1, { timeout: 10_000 });
  const other = await start();
  await killed.stop("SIGKILL");

  await vi.waitUntil(async () => (await stateOf(email))?.state === "sent", { timeout: 40_000 });
  expect(await stateOf(email)).toMatchObject({ doubts: 1 });
  const [first, second, ...further] = await mailsTo(email);
  expect(second?.messageId).toBe(first?.messageId);
  expect(further).toEqual([]);
  expect(other.output()).toContain("some may arrive twice");
});

it("has the mail of a program that was suspended sent by another one, and goes on when it is resumed", async () => {
  const email = "suspended@example.test";
  // taken whole, and answered only when the program is suspended
  await sink.script({ [email]: [{ wait: 10_000 }] });
  const suspended = await start();
  await signUp(suspended, email);
  await forgetPassword(suspended, email);
  await vi.waitUntil(async () => (await sink.concurrency()) === 1, { timeout: 10_000 });
  process.kill(suspended.pid, "SIGSTOP");
  const other = await start();
  await vi.waitUntil(async () => (await stateOf(email))?.state === "sent", { timeout: 40_000 });
  await other.stop();
  process.kill(suspended.pid, "SIGCONT");

  const next = "after-suspension@example.test";
  await signUp(suspended, next);
  await forgetPassword(suspended, next);
  await vi.waitUntil(async () => (await mailsTo(next)).length === 1, { timeout: 20_000 });
  expect(await stateOf(email)).toMatchObject({ state: "sent", doubts: 1 });
  const copies = await mailsTo(email);
  expect(copies).toHaveLength(2);
  expect(new Set(copies.map(({ messageId }) => messageId)).size).toBe(1);
  expect(suspended.output()).toContain("stops sending until it can");
});

it("sends what is queued when it stops, and answers within the time it has", async () => {
  const email = "stopping@example.test";
  await sink.script({ [email]: [{ wait: 1_000 }] });
  const program = await start();
  await signUp(program, email);
  await forgetPassword(program, email);
  await vi.waitUntil(async () => (await stateOf(email))?.state === "sending", { timeout: 10_000 });
  expect(await program.stop("SIGTERM")).toBe(0);
  expect(await stateOf(email)).toMatchObject({ state: "sent", doubts: 0 });
});
