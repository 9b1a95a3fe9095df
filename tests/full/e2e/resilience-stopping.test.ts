import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { type Database, openDatabase } from "~db/client";
import { EFFECT_TIMEOUT } from "../../support/effect-timeout.mjs";
import { openConnection, type RawConnection, send } from "../../support/http-client";
import { freePorts } from "../../support/ports.mjs";
import { createTestDatabase } from "../../support/postgres";
import { type Program, startProgram, temporaryDirectory } from "../../support/program";
import { countRows } from "../../support/tables";
import { hasTerminal, startInTerminal } from "../../support/terminal";

const project = resolve(import.meta.dirname, "../../..");
/** A module that rejects a promise without a handler, on SIGUSR2. */
const REJECTION = "a rejection on purpose";
const rejectOnSignal = `data:text/javascript,${encodeURIComponent(
  `process.on("SIGUSR2", () => void Promise.reject(new Error("${REJECTION}")));`,
)}`;

/** The data of a site with an embedded database, for two tests in succession. */
const embedded = temporaryDirectory();
afterAll(() => embedded.remove());

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function dataDirectory(): string {
  const { path, remove } = temporaryDirectory();
  cleanUps.push(remove);
  return path;
}

/** A migrated database on the test run's server, for tests that do not need the embedded one. */
async function connect(): Promise<Database & { url: string }> {
  const { url, drop } = await createTestDatabase();
  const database = openDatabase(url);
  cleanUps.push(drop, () => database.close());
  return { ...database, url };
}

async function start(variables: Record<string, string>): Promise<Program> {
  const program = await startProgram({ variables });
  cleanUps.push(() => program.stop());
  return program;
}

const FORM = "email=late%40example.test";

/** Sends only the head of a newsletter form: a request in flight. */
async function beginForm(
  program: { origin: string },
  length = FORM.length,
): Promise<RawConnection> {
  const connection = await openConnection(program.origin);
  cleanUps.push(() => connection.destroy());
  connection.write(
    `POST /newsletter HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  // the program has requested the body, so it is handling the request
  await connection.until(/100 Continue/);
  connection.write(FORM.slice(0, 5));
  return connection;
}

const isOver = (program: { origin: string }) =>
  send(`${program.origin}/healthz`).then(
    () => false,
    () => true,
  );

describe("a program that is stopped", () => {
  it("finishes requests in flight, accepts no new ones, does not wait forever for a stalled client, and exits with 0 after any number of signals", async () => {
    const database = await connect();
    const program = await start({ DATABASE_URL: database.url, DATA_DIR: dataDirectory() });
    const form = await beginForm(program);
    const endless = await beginForm(program, 1_000);
    const drip = setInterval(() => endless.write("x"), 500);
    cleanUps.push(() => clearInterval(drip));
    const idle = await openConnection(program.origin);
    idle.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await idle.until(/<\/html>/);
    const begun = await openConnection(program.origin);
    begun.write("GET / HTTP/1.1\r\nHost: loc");

    const ended = program.stop("SIGINT");
    await vi.waitUntil(() => isOver(program), EFFECT_TIMEOUT);
    process.kill(program.pid, "SIGTERM");
    process.kill(program.pid, "SIGINT");
    await idle.ended;
    form.write(FORM.slice(5));
    expect(await form.ended).toMatch(/HTTP\/1.1 303 [\s\S]*connection: close/i);
    expect(await ended).toBe(0);
    expect(await endless.ended).not.toContain("303");
    await begun.ended;
    expect(await countRows(database, "subscribers")).toBe(1);
  });

  it.skipIf(!hasTerminal)(
    `by closing its terminal also finishes requests in flight${hasTerminal ? "" : " (skipped: util-linux's script is missing)"}`,
    async () => {
      const database = await connect();
      const program = await startInTerminal({
        DATABASE_URL: database.url,
        DATA_DIR: dataDirectory(),
        // its output has nowhere to go
        LOG_LEVEL: "info",
      });
      cleanUps.push(() => program.closeTerminal());
      const form = await beginForm(program);
      program.closeTerminal();
      await vi.waitUntil(() => isOver(program), EFFECT_TIMEOUT);
      form.write(FORM.slice(5));
      expect(await form.ended).toMatch(/HTTP\/1.1 303 /);
      await vi.waitUntil(() => !program.isRunning(), EFFECT_TIMEOUT);
      expect(await countRows(database, "subscribers")).toBe(1);
    },
  );

  it("during its first start leaves no process and nothing half created", async () => {
    const data = embedded.path;
    const child = spawn(process.execPath, [join(project, "build/index.js"), "serve"], {
      cwd: project,
      env: { PATH: process.env.PATH, PORT: String(await freePorts(1)), DATA_DIR: data } as never,
      stdio: "ignore",
    });
    cleanUps.push(() => child.kill("SIGKILL"));
    const ended = new Promise((done) => child.once("exit", (code, signal) => done(signal ?? code)));
    // the database is being created
    await vi.waitUntil(() => readdirSync(data).some((name) => name.startsWith("postgres")), {
      ...EFFECT_TIMEOUT,
      interval: 5,
    });
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    expect(existsSync(join(data, "postgres/postmaster.pid"))).toBe(false);
    expect(readdirSync(data).filter((name) => name.startsWith("postgres.new"))).toEqual([]);
  });
});

it("an unhandled rejection is logged and shuts the program down cleanly with exit code 1, also after an interrupted start", async () => {
  const program = await start({
    DATA_DIR: embedded.path,
    NODE_OPTIONS: `--import=${rejectOnSignal}`,
  });
  expect(existsSync(join(embedded.path, "postgres/postmaster.pid"))).toBe(true);
  const form = await beginForm(program);
  const ended = program.stop("SIGUSR2");
  await vi.waitUntil(() => program.output().includes(REJECTION), EFFECT_TIMEOUT);
  form.write(FORM.slice(5));
  expect(await form.ended).toContain("303");
  expect(await ended).toBe(1);
  const lines = program.output().trim().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({
      level: 60,
      msg: "stopping after an uncaught error",
      err: expect.objectContaining({ message: REJECTION }),
    }),
  );
  expect(existsSync(join(embedded.path, "postgres/postmaster.pid"))).toBe(false);
});
