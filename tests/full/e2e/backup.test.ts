import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { type Database, openDatabase } from "~db/client";
import { childEnvironment } from "../../support/child-environment.mjs";
import { runCommand } from "../../support/command";
import { openEmbeddedDatabase } from "../../support/embedded-database";
import { eventually } from "../../support/eventually";
import { createTestDatabase } from "../../support/postgres";
import { type Program, runProgram, startProgram, temporaryDirectory } from "../../support/program";
import { METRICS_TOKEN, readMetric } from "../../support/program-site";
import { countRows } from "../../support/tables";

const PROGRAM = resolve(import.meta.dirname, "../../../build/index.js");
const PAIRS = 2_000;

let home: ReturnType<typeof temporaryDirectory>;
let data: ReturnType<typeof temporaryDirectory>;
let variables: { DATA_DIR: string; BACKUP_DIR: string };
let program: Program;
let database: Database;
/** Made while the site ran and rows were written; the command's result, and the number of transactions meanwhile. */
let backup: string;
let made: Awaited<ReturnType<typeof runProgram>>;
let written: number;
/** Accounts in the backup. */
let users: number;

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

/** Writes until aborted; each transaction keeps sums and foreign keys right. Returns the number of transactions. */
async function writeUntil(stopped: AbortSignal, writer: number): Promise<number> {
  let count = 0;
  while (!stopped.aborted) {
    // each writer has its own rows, to avoid deadlocks
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

/** Runs a command in this process, since the built program takes longer to start than most commands take. */
const command = (settings: Record<string, string>, ...words: string[]) => {
  setEnvironment({ ...settings, LOG_LEVEL: "silent" });
  return runCommand(...words);
};

describe("a backup made during writes", () => {
  it("is consistent: every sum and every foreign key holds after a restore", async () => {
    expect(written).toBeGreaterThan(20);
    expect({ ...made, stderr: "" }).toEqual({ code: 0, stdout: `${backup}\n`, stderr: "" });
    expect(made.stderr).toMatch(/rows in \d+ tables/);
    const test = await createTestDatabase({ empty: true });
    const empty = openDatabase(test.url, { applicationName: "test" });
    try {
      const settings = { DATA_DIR: join(home.path, "restored"), DATABASE_URL: test.url };
      expect((await command(settings, "restore", backup)).code).toBe(0);
      const [row] = await empty.db.execute(
        sql`select (select sum(points)::int from rate_limits where key like 'pair %') as points,
          (select count(*)::int from users) as users, (select count(*)::int from profiles) as profiles,
          (select count(*)::int from sessions) as sessions,
          (select coalesce(max(sync_number), 0) <= (select last_value from billing_sync_numbers) from profiles) as numbered,
          (select bool_and(convalidated) from pg_constraint where contype = 'f') as valid`,
      );
      expect(row).toMatchObject({ points: PAIRS * 1_000, numbered: true, valid: true });
      users = Number(row?.users);
      expect(row?.profiles).toBe(users);
      expect(row?.sessions).toBe(users);
    } finally {
      await empty.close();
      await test.drop();
    }
  });

  it("is readable by its user only, and never overwritten", async () => {
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    const bytes = readFileSync(backup);
    const { code, stderr } = await command(variables, "backup", backup);
    expect(code).toBe(1);
    expect(stderr).toBe(
      `${backup} already exists, and backups are never replaced: choose another name.\n`,
    );
    expect(readFileSync(backup).equals(bytes)).toBe(true);
  });

  it("goes to standard output unchanged", async () => {
    const child = spawn(process.execPath, [PROGRAM, "backup", "-"], {
      env: childEnvironment(variables),
      stdio: ["ignore", "pipe", "ignore"],
    });
    const chunks: Buffer[] = [];
    for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
    const piped = join(home.path, "piped.tar.gz");
    writeFileSync(piped, Buffer.concat(chunks));
    const { code, stdout } = await command({}, "backup", "verify", piped);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${piped} is complete.\n` });
  });
});

it("the running site makes backups on its own, and reports them in its metrics", async () => {
  await eventually(async () => {
    expect(await readMetric(program.origin, "backup_last_size_bytes")).toBeGreaterThan(1_000);
  });
  const names = readdirSync(variables.BACKUP_DIR);
  expect(names).toEqual([expect.stringMatching(/^golden-path-\d{8}T\d{6}Z\.tar\.gz$/)]);
});

describe("a restore", () => {
  it("is refused while a site serves from DATA_DIR", async () => {
    const { code, stderr } = await command(variables, "restore", backup);
    expect(code).toBe(1);
    expect(stderr).toContain("Another program already serves from DATA_DIR");
  });

  it("refuses a truncated file before it touches anything", async () => {
    const short = join(home.path, "short.tar.gz");
    writeFileSync(short, readFileSync(backup).subarray(0, -1_000));
    const untouched = join(home.path, "untouched");
    const { code, stderr } = await command({ DATA_DIR: untouched }, "restore", short);
    expect(code).toBe(1);
    expect(stderr).toMatch(/incomplete/);
    expect(existsSync(untouched)).toBe(false);
  });

  it("that is killed leaves an empty or a complete database, can be repeated, and the site starts", async () => {
    const folder = temporaryDirectory();
    const child = spawn(process.execPath, [PROGRAM, "restore", backup], {
      env: childEnvironment({ DATA_DIR: folder.path }),
      stdio: "ignore",
    });
    const ended = new Promise((resolve) => child.once("exit", resolve));
    // while it fills the tables
    await eventually(async () => expect(await isFilling(folder.path)).toBe(true), { interval: 5 });
    child.kill("SIGKILL");
    await ended;
    const settings = { DATA_DIR: folder.path };
    const again = await command(settings, "restore", backup);
    // the first restore may have completed
    if (again.code !== 0) expect(again.stderr).toMatch(/not empty: a site has data in it/);
    // a restored database always comes with the secret that signs its sessions
    expect(existsSync(join(folder.path, "session-secret"))).toBe(true);
    const restored = await startProgram({ variables: settings });
    try {
      const moved = await openEmbeddedDatabase(folder.path);
      const counts = await Promise.all(
        ["subscribers", "users", "profiles", "sessions"].map((table) => countRows(moved, table)),
      );
      await moved.close();
      expect(counts).toEqual([20_000, ...Array(3).fill(users)]);
    } finally {
      await restored.stop();
      folder.remove();
    }
  });
});

/** Whether a restore is copying rows into the embedded database of a folder. */
async function isFilling(dataDir: string): Promise<boolean> {
  const observer = await openEmbeddedDatabase(dataDir);
  try {
    const rows = await observer.db.execute(
      sql`select from pg_stat_activity where state = 'active' and query ilike 'copy %'`,
    );
    return rows.length > 0;
  } finally {
    await observer.close();
  }
}
