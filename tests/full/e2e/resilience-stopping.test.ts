import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openDatabase } from "~db/client";
import { EFFECT_TIMEOUT } from "../../support/effect-timeout.mjs";
import { openConnection, type RawConnection, send } from "../../support/http-client";
import { freePorts } from "../../support/ports.mjs";
import { createTestDatabase, type TestDatabase } from "../../support/postgres";
import { type Program, startProgram, temporaryDirectory } from "../../support/program";
import { countRows } from "../../support/tables";
import { hasTerminal, startInTerminal } from "../../support/terminal";

const project = resolve(import.meta.dirname, "../../..");
const failOnSignal = pathToFileURL(
  resolve(import.meta.dirname, "../../support/fail-on-signal.mjs"),
);

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function dataDirectory(): string {
  const { path, remove } = temporaryDirectory();
  cleanUps.push(remove);
  return path;
}

/** A migrated database on the test run's server, for tests that are not about the embedded one. */
async function testDatabase(): Promise<TestDatabase> {
  const created = await createTestDatabase();
  cleanUps.push(() => created.drop());
  return created;
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

describe("told to stop", () => {
  it("finishes requests in flight, accepts no new ones, and exits with 0 however many signals it gets", async () => {
    const { url } = await testDatabase();
    const database = openDatabase(url);
    cleanUps.push(() => database.close());
    const program = await start({ DATABASE_URL: url, DATA_DIR: dataDirectory() });
    const form = await beginForm(program);
    const idle = await openConnection(program.origin);
    idle.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await idle.until(/<\/html>/);
    const begun = await openConnection(program.origin);
    begun.write("GET / HTTP/1.1\r\nHost: loc");

    const ended = program.stop("SIGTERM");
    await vi.waitUntil(() => isOver(program), EFFECT_TIMEOUT);
    process.kill(program.pid, "SIGTERM");
    process.kill(program.pid, "SIGINT");
    await idle.ended;
    form.write(FORM.slice(5));
    expect(await form.ended).toMatch(/HTTP\/1.1 303 [\s\S]*connection: close/i);
    expect(await ended).toBe(0);
    await begun.ended;
    expect(await countRows(database, "subscribers")).toBe(1);
  });

  it.skipIf(!hasTerminal)(
    `by the end of its terminal, finishes requests in flight too${hasTerminal ? "" : " (skipped: util-linux's script is missing)"}`,
    async () => {
      const { url } = await testDatabase();
      const database = openDatabase(url);
      cleanUps.push(() => database.close());
      const program = await startInTerminal({
        DATABASE_URL: url,
        DATA_DIR: dataDirectory(),
        // its lines can no longer be written
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

  it.each(["SIGINT", "SIGHUP"] as const)("by %s, ends with 0 as by SIGTERM", async (signal) => {
    const { url } = await testDatabase();
    const program = await start({ DATABASE_URL: url, DATA_DIR: dataDirectory() });
    expect(await program.stop(signal)).toBe(0);
  });

  it("does not wait forever for a client that never finishes", async () => {
    const { url } = await testDatabase();
    const program = await start({ DATABASE_URL: url, DATA_DIR: dataDirectory() });
    const form = await beginForm(program, 1_000);
    const drip = setInterval(() => form.write("x"), 500);
    cleanUps.push(() => clearInterval(drip));
    const startedAt = Date.now();
    expect(await program.stop("SIGTERM")).toBe(0);
    expect(Date.now() - startedAt).toBeGreaterThan(8_000);
  });

  it("during its first start, leaves no process and nothing half created", async () => {
    const data = dataDirectory();
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

    // and nothing blocks the next start
    const next = await start({ DATA_DIR: data });
    expect((await send(`${next.origin}/`)).status).toBe(200);
  });
});

describe("an uncaught fault", () => {
  it.each([
    { name: "a rejection", signal: "SIGUSR2" as const, message: "a rejection on purpose" },
    { name: "an exception", signal: "SIGALRM" as const, message: "an exception on purpose" },
  ])(
    "($name) is logged and shuts the program down cleanly, with exit code 1",
    async ({ signal, message }) => {
      const data = dataDirectory();
      const program = await start({ DATA_DIR: data, NODE_OPTIONS: `--import=${failOnSignal}` });
      expect(existsSync(join(data, "postgres/postmaster.pid"))).toBe(true);
      const form = await beginForm(program);
      const ended = program.stop(signal);
      await vi.waitUntil(() => program.output().includes(message), EFFECT_TIMEOUT);
      form.write(FORM.slice(5));
      expect(await form.ended).toContain("303");
      expect(await ended).toBe(1);
      const lines = program.output().trim().split("\n");
      expect(lines.map((line) => JSON.parse(line))).toContainEqual(
        expect.objectContaining({
          level: 60,
          msg: "stopping after an uncaught error",
          err: expect.objectContaining({ message }),
        }),
      );
      expect(existsSync(join(data, "postgres/postmaster.pid"))).toBe(false);
    },
  );
});
