import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readdirSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually";
import { Visitor } from "../../support/http-client";
import { freePorts } from "../../support/ports.mjs";
import { createTestDatabase } from "../../support/postgres";
import { type Program, runProgram, startProgram, temporaryDirectory } from "../../support/program";

const project = resolve(import.meta.dirname, "../../..");

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function dataDirectory(): string {
  const { path, remove } = temporaryDirectory();
  cleanUps.push(remove);
  return path;
}

/** Expects a message of a few sentences only, without a stack trace. */
function expectClearFailure(run: { code: number | null; stderr: string }, pattern: RegExp) {
  expect(run.stderr).toMatch(pattern);
  expect(run.stderr).not.toMatch(/\n\s+at |node:internal/);
  expect(run.stderr.trim().split("\n")).toHaveLength(1);
  expect(run.code).toBe(1);
}

describe("starting the program", () => {
  it("exits with 1 and names the occupied port and the remedy", async () => {
    const blocker = createServer();
    await new Promise<void>((done) => blocker.listen(0, done));
    cleanUps.push(() => blocker.close());
    const { port } = blocker.address() as AddressInfo;
    const run = await runProgram({
      variables: { PORT: String(port), DATA_DIR: dataDirectory() },
    });
    expectClearFailure(run, new RegExp(`Port ${port} is already in use`));
  });

  it("reports an unreachable database, without its password", async () => {
    const [port] = [await freePorts(2)];
    const run = await runProgram({
      variables: {
        PORT: String(port),
        DATA_DIR: dataDirectory(),
        DATABASE_URL: `postgres://someone:hunter2@127.0.0.1:${port + 1}/nothing`,
      },
    });
    expectClearFailure(run, /127\.0\.0\.1/);
    expect(run.stderr).not.toContain("hunter2");
  });
});

describe("a running program", () => {
  it("keeps its data unreadable for other users, and stops its database; the same build under remix-serve serves the same landing page", async () => {
    const data = join(dataDirectory(), "deeper", "data");
    // under root, PostgreSQL's own user needs execute permission
    chmodSync(resolve(data, "../.."), 0o755);
    const umask = process.umask(0);
    let program: Program;
    try {
      program = await startProgram({ command: "demo", variables: { DATA_DIR: data } });
      cleanUps.push(() => program.stop());
      const email = "private@example.test";
      await new Visitor(program.origin).signUp(email);
      const form = { email };
      await new Visitor(program.origin).post("/auth/forgot-password", { form });
    } finally {
      process.umask(umask);
    }
    await eventually(() => expect(existsSync(join(data, "outbox"))).toBe(true));
    expect(modeOf(data)).toBe(process.getuid?.() === 0 ? 0o711 : 0o700);
    const names = readdirSync(data);
    expect(names).toEqual(
      expect.arrayContaining([
        "outbox",
        "postgres",
        "postgres.host",
        "postgres.log",
        "session-secret",
      ]),
    );
    expect(names.filter((name) => (modeOf(join(data, name)) & 0o077) !== 0)).toEqual([]);

    const ours = await landing(program.origin);
    expect(ours).toContain("<h1");
    expect(existsSync(join(data, "postgres", "postmaster.pid"))).toBe(true);
    expect(await program.stop("SIGTERM")).toBe(0);
    expect(existsSync(join(data, "postgres", "postmaster.pid"))).toBe(false);

    const database = await createTestDatabase();
    cleanUps.push(database.drop);
    const { port } = new URL(program.origin);
    const child = remixServe({ PORT: port, DATA_DIR: data, DATABASE_URL: database.url });
    cleanUps.push(() => child.kill());
    // until the edition is read, the page is a simpler one
    await eventually(async () => expect(await landing(program.origin)).toBe(ours));
  });
});

describe("remix-serve", () => {
  it("without a database says in one line what it needs", async () => {
    const child = remixServe({ PORT: String(await freePorts(1)), DATA_DIR: dataDirectory() });
    const stderr = text(child.stderr);
    const [code] = await once(child, "close");
    expectClearFailure({ code, stderr: await stderr }, /DATABASE_URL is not set.*npm start/);
  });
});

/** Runs the build under Remix's own server. */
function remixServe(variables: Record<string, string>) {
  return spawn(
    process.execPath,
    [join(project, "node_modules/@remix-run/serve/dist/cli.js"), "build/index.js"],
    {
      cwd: project,
      env: { ...process.env, NODE_ENV: "production", PAYMENTS: "sandbox", ...variables },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
}

describe("a command whose reader has closed", () => {
  it("ends silently, as after `| head`", async () => {
    const child = spawn(process.execPath, ["build/index.js", "doctor"], {
      cwd: project,
      env: { ...process.env, DATA_DIR: dataDirectory(), PORT: String(await freePorts(1)) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.destroy();
    let complaints = "";
    child.stderr.on("data", (text) => {
      complaints += text;
    });
    await once(child, "close");
    expect(complaints).not.toMatch(/EPIPE|\n\s+at /);
  });
});

const modeOf = (path: string) => statSync(path).mode & 0o777;

/** The landing page's body without scripts and their nonces. */
async function landing(origin: string): Promise<string> {
  const response = await fetch(`${origin}/`, { headers: { "User-Agent": "Mozilla/5.0" } });
  expect(response.status).toBe(200);
  const html = await response.text();
  const body = /<body[\s\S]*<\/body>/.exec(html)?.[0] ?? "";
  return body.replace(/<script[\s\S]*?<\/script>/g, "");
}
