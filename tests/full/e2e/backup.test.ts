import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "~db/client";
import { digestOf } from "../../support/backups";
import { childEnvironment } from "../../support/child-environment.mjs";
import { openEmbeddedDatabase } from "../../support/embedded-database";
import { eventually } from "../../support/eventually";
import { createTestDatabase, type TestDatabase } from "../../support/postgres";
import { type Program, runProgram, startProgram, temporaryDirectory } from "../../support/program";
import { METRICS_TOKEN, readMetric } from "../../support/program-site";

const PROGRAM = resolve(import.meta.dirname, "../../../build/index.js");
const PAIRS = 2_000;

let home: ReturnType<typeof temporaryDirectory>;
let data: ReturnType<typeof temporaryDirectory>;
let variables: { DATA_DIR: string; BACKUP_DIR: string };
let program: Program;
let database: Database;
/** Made while the site ran and rows were written; how that went, and how many transactions there were meanwhile. */
let backup: string;
let made: Awaited<ReturnType<typeof runProgram>>;
let written: number;

beforeAll(async () => {
  home = temporaryDirectory();
  data = temporaryDirectory();
  variables = { DATA_DIR: data.path, BACKUP_DIR: join(home.path, "backups") };
  program = await startProgram({
    variables: { ...variables, BACKUP_EVERY: "1h", METRICS_TOKEN },
  });
  database = await openEmbeddedDatabase(variables.DATA_DIR);
  // rows whose sum no transaction changes
  await database.db.execute(
    sql`insert into rate_limits (key, points) select 'pair ' || n, 1000 from generate_series(1, ${PAIRS}) n`,
  );
  await database.db.execute(
    sql`insert into subscribers (email) select 'reader-' || n || '@example.test' from generate_series(1, 20000) n`,
  );
  const stopping = new AbortController();
  const writers = Promise.all([1, 2].map((writer) => writeUntil(stopping.signal, writer)));
  backup = join(home.path, "by-hand.tar.gz");
  made = await runProgram({ command: ["backup", backup], variables });
  stopping.abort();
  written = (await writers).reduce((sum, count) => sum + count, 0);
});
afterAll(async () => {
  await database.close();
  await program.stop();
  home.remove();
  data.remove();
});

/** Writes until told to stop; each transaction leaves sums and foreign keys right. Returns how many there were. */
async function writeUntil(stopped: AbortSignal, writer: number): Promise<number> {
  let count = 0;
  while (!stopped.aborted) {
    // each writer has rows of its own, or they would wait for one another in circles
    const row = () => `pair ${writer + 2 * Math.floor((Math.random() * PAIRS) / 2)}`;
    const [from, to] = [row(), row()];
    const email = `writer-${writer}-${count++}@example.test`;
    await database.db.transaction(async (transaction) => {
      await transaction.execute(
        sql`update rate_limits set points = points - 7 where key = ${from}`,
      );
      const [user] = await transaction.execute<{ id: string }>(
        sql`insert into users (email, password_hash) values (${email}, '') returning id`,
      );
      await transaction.execute(
        sql`insert into profiles (id, sync_number) values (${user?.id}, nextval('billing_sync_numbers'))`,
      );
      await transaction.execute(
        sql`insert into sessions (token_hash, user_id, expires_at) values (${email}, ${user?.id}, now())`,
      );
      await transaction.execute(sql`update rate_limits set points = points + 7 where key = ${to}`);
    });
  }
  return count;
}

async function withEmptyDatabase(
  work: (test: TestDatabase, empty: Database) => Promise<void>,
): Promise<void> {
  const test = await createTestDatabase({ empty: true });
  const empty = openDatabase(test.url, { applicationName: "test" });
  try {
    await work(test, empty);
  } finally {
    await empty.close();
    await test.drop();
  }
}

describe("a backup of a site that is written to", () => {
  it("is of one moment: every sum and every foreign key holds after a restore", async () => {
    expect(written).toBeGreaterThan(20);
    expect({ ...made, stderr: "" }).toEqual({ code: 0, stdout: `${backup}\n`, stderr: "" });
    expect(made.stderr).toMatch(/rows in \d+ tables/);
    await withEmptyDatabase(async (test, empty) => {
      const restored = await runProgram({
        command: ["restore", backup],
        variables: { DATA_DIR: join(home.path, "restored"), DATABASE_URL: test.url },
      });
      expect(restored.code).toBe(0);
      const [row] = await empty.db.execute(
        sql`select (select sum(points)::int from rate_limits where key like 'pair %') as points,
          (select count(*)::int from users) as users, (select count(*)::int from profiles) as profiles,
          (select count(*)::int from sessions) as sessions,
          (select coalesce(max(sync_number), 0) <= (select last_value from billing_sync_numbers) from profiles) as numbered,
          (select bool_and(convalidated) from pg_constraint where contype = 'f') as valid`,
      );
      expect(row).toMatchObject({ points: PAIRS * 1_000, numbered: true, valid: true });
      expect(row?.profiles).toBe(row?.users);
      expect(row?.sessions).toBe(row?.users);
    });
  });

  it("is for its user only, and never replaced", async () => {
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    const bytes = readFileSync(backup);
    const { code, stderr } = await runProgram({ command: ["backup", backup], variables });
    expect(code).toBe(1);
    expect(stderr).toBe(
      `${backup} exists already, and no backup is ever replaced: choose another name.\n`,
    );
    expect(readFileSync(backup).equals(bytes)).toBe(true);
  });

  it("goes to standard output as it is", async () => {
    const child = spawn(process.execPath, [PROGRAM, "backup", "-"], {
      env: childEnvironment(variables),
      stdio: ["ignore", "pipe", "ignore"],
    });
    const chunks: Buffer[] = [];
    for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
    const piped = join(home.path, "piped.tar.gz");
    writeFileSync(piped, Buffer.concat(chunks));
    const { code, stdout } = await runProgram({
      command: ["backup", "verify", piped],
      variables: {},
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${piped} is whole.\n` });
  });

  it("leaves no file that looks whole when it is killed", async () => {
    const folder = join(home.path, "killed");
    mkdirSync(folder);
    const child = spawn(process.execPath, [PROGRAM, "backup", join(folder, "x.tar.gz")], {
      env: childEnvironment(variables),
      stdio: "ignore",
    });
    await eventually(() => expect(readdirSync(folder)).not.toEqual([]), { interval: 1 });
    child.kill("SIGKILL");
    await new Promise((ended) => child.once("exit", ended));
    expect(readdirSync(folder).filter((name) => !name.endsWith(".part"))).toEqual([]);
  });
});

it("the running site makes a backup by itself, and tells of it", async () => {
  await eventually(async () => {
    expect(await readMetric(program.origin, "backup_last_size_bytes")).toBeGreaterThan(1_000);
  });
  const names = readdirSync(variables.BACKUP_DIR);
  expect(names).toEqual([expect.stringMatching(/^golden-path-\d{8}T\d{6}Z\.tar\.gz$/)]);
});

describe("a restore", () => {
  it("is refused while a site serves from DATA_DIR", async () => {
    const { code, stderr } = await runProgram({ command: ["restore", backup], variables });
    expect(code).toBe(1);
    expect(stderr).toContain("Another program already serves from DATA_DIR");
  });

  it("of a file that is cut short is refused before anything is touched", async () => {
    const short = join(home.path, "short.tar.gz");
    writeFileSync(short, readFileSync(backup).subarray(0, -1_000));
    const untouched = join(home.path, "untouched");
    const { code, stderr } = await runProgram({
      command: ["restore", short],
      variables: { DATA_DIR: untouched },
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/not whole/);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(existsSync(untouched)).toBe(false);
  });

  it("that is killed at any moment leaves an empty or a whole database, and can be repeated", async () => {
    const outcomes = new Set<string>();
    let whole: Record<string, string> = {};
    let took = 0;
    await withEmptyDatabase(async (test, empty) => {
      took = await restoreUntil(test, null);
      whole = await digestOf(empty);
    });
    const moments = 2;
    for (let moment = 0; moment < moments; moment++) {
      await withEmptyDatabase(async (test, empty) => {
        const dataDir = join(home.path, `killed-${moment}`);
        await restoreUntil(test, (took * moment) / moments, dataDir);
        await eventually(async () => expect(await sessionsOf(test)).toBe(0));
        const left = await digestOf(empty);
        const secret = join(dataDir, "session-secret");
        if (Object.keys(left).length === 0) outcomes.add("empty");
        else {
          expect(left).toEqual(whole);
          // whoever has the database has the secret that its sessions are signed with
          expect(existsSync(secret)).toBe(true);
          outcomes.add("whole");
        }
        if (moment !== 1) return;
        const variables = { DATA_DIR: dataDir, DATABASE_URL: test.url };
        if (Object.keys(left).length > 0) return;
        expect((await runProgram({ command: ["restore", backup], variables })).code).toBe(0);
        expect(await digestOf(empty)).toEqual(whole);
        expect(readdirSync(dataDir).filter((name) => name.startsWith("."))).toEqual([]);
      });
    }
    expect(outcomes).toContain("empty");
  }, 180_000);
});

it("a restore into the embedded database that was killed can be repeated, and the site starts", async () => {
  const folder = temporaryDirectory();
  const child = spawn(process.execPath, [PROGRAM, "restore", backup], {
    env: childEnvironment({ DATA_DIR: folder.path }),
    stdio: "ignore",
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const cluster = join(folder.path, "postgres/postmaster.pid");
  await eventually(() => expect(existsSync(cluster)).toBe(true), { interval: 5 });
  await sleep(400);
  child.kill("SIGKILL");
  await ended;
  const variables = { DATA_DIR: folder.path };
  const again = await runProgram({ command: ["restore", backup], variables });
  // it may have been whole already
  if (again.code !== 0) expect(again.stderr).toMatch(/not empty: a site has data in it/);
  const restored = await startProgram({ variables });
  try {
    const moved = await openEmbeddedDatabase(folder.path);
    const [row] = await moved.db.execute<{ count: number }>(
      sql`select count(*)::int as count from subscribers`,
    );
    await moved.close();
    expect(row?.count).toBe(20_000);
  } finally {
    await restored.stop();
    folder.remove();
  }
});

/** Sessions of the program on a database. */
async function sessionsOf(test: TestDatabase): Promise<number> {
  const observer = openDatabase(test.superuserUrl, { applicationName: "test", max: 1 });
  try {
    const [row] = await observer.db.execute<{ count: number }>(
      sql`select count(*)::int as count from pg_stat_activity
        where datname = current_database() and application_name like 'golden-path%'`,
    );
    return row?.count ?? 0;
  } finally {
    await observer.close();
  }
}

/**
 * Restores, and kills the program so many milliseconds after it has opened the database, or not at all. Returns how
 * long it had the database open.
 */
async function restoreUntil(
  test: TestDatabase,
  killAfter: number | null,
  dataDir = join(home.path, "whole"),
): Promise<number> {
  const child = spawn(process.execPath, [PROGRAM, "restore", backup], {
    env: childEnvironment({ DATA_DIR: dataDir, DATABASE_URL: test.url }),
    stdio: "ignore",
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  await eventually(async () => expect(await sessionsOf(test)).toBeGreaterThan(0), { interval: 2 });
  const openedAt = performance.now();
  if (killAfter !== null) {
    await sleep(killAfter);
    child.kill("SIGKILL");
  }
  await ended;
  return performance.now() - openedAt;
}
