import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readBackupFile } from "~/features/backup/backup-file.server";
import { verifyBackup } from "~/features/backup/verify-backup.server";
import { type Database, openDatabase } from "~db/client";
import { openEmbeddedPostgres } from "~db/embedded";
import { openEmbeddedDatabase } from "../../support/embedded-database";
import { Visitor } from "../../support/http-client";
import { type Program, runProgram, startProgram, temporaryDirectory } from "../../support/program";

const FIXTURES = resolve(import.meta.dirname, "../../fixtures");
const OLD_SITE = join(FIXTURES, "release-d1abaa8.tar.gz");
const { cookies, passwords } = JSON.parse(
  readFileSync(join(FIXTURES, "release-d1abaa8.json"), "utf8"),
) as { cookies: Record<"free" | "member", string>; passwords: Record<string, string> };

type Row = Record<string, unknown>;

const data = temporaryDirectory();
let program: Program;
/** The rows of every table, as the older release had left them. */
let before: Map<string, Row[]>;

/** The rows of these tables, or of all; except counters, which the clean-up removes. */
async function rowsOf({ db }: Database, tables?: Iterable<string>): Promise<Map<string, Row[]>> {
  const all = await db.execute<{ name: string }>(
    sql`select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  );
  const rows = new Map<string, Row[]>();
  for (const name of tables ?? all.map(({ name }) => name)) {
    if (name === "rate_limits") continue;
    const found = await db.execute<{ row: Row }>(
      sql`select to_jsonb(t) as row from ${sql.identifier(name)} t order by t::text`,
    );
    rows.set(
      name,
      [...found].map(({ row }) => row),
    );
  }
  return rows;
}

/** Makes the site as old as if it had been served a moment ago, or its sessions would have expired. */
async function makeRecent({ db }: Database): Promise<void> {
  const { manifest } = await verifyBackup(readBackupFile(OLD_SITE));
  const age = Date.now() - new Date(manifest.createdAt).getTime();
  const columns = await db.execute<{ table: string; name: string }>(
    sql`select table_name as table, column_name as name from information_schema.columns
      where table_schema = 'public' and data_type = 'timestamp with time zone'`,
  );
  for (const { table, name } of columns) {
    const column = sql.identifier(name);
    await db.execute(
      sql`update ${sql.identifier(table)} set ${column} = ${column} + ${age} * interval '1 ms'`,
    );
  }
}

beforeAll(async () => {
  const variables = { DATA_DIR: data.path };
  const restored = await runProgram({ command: ["restore", OLD_SITE], variables });
  expect(restored.code).toBe(0);
  const server = await openEmbeddedPostgres({ dataDir: data.path, purpose: "serve" });
  const database = openDatabase(server.url, { applicationName: "test" });
  await makeRecent(database);
  before = await rowsOf(database);
  await database.close();
  await server.stop();
  program = await startProgram({ variables });
}, 60_000);
afterAll(async () => {
  await program?.stop();
  data.remove();
});

describe("the site of release d1abaa8 under this release", () => {
  it("has every row as it was", async () => {
    expect([...before].map(([name, rows]) => `${name} ${rows.length}`)).toEqual([
      "password_resets 1",
      "profiles 3",
      "sessions 3",
      "subscribers 3",
      "users 3",
      "webhook_events 4",
    ]);
    const database = await openEmbeddedDatabase(data.path);
    try {
      const after = await rowsOf(database, before.keys());
      for (const [name, rows] of before) {
        // what has been added since is not compared
        const columns = Object.keys(rows[0] ?? {});
        const same = (row: Row) => Object.fromEntries(columns.map((key) => [key, row[key]]));
        const sorted = (some: Row[]) => some.map((row) => JSON.stringify(same(row))).sort();
        expect(sorted(after.get(name) ?? []), name).toEqual(sorted(rows));
      }
    } finally {
      await database.close();
    }
  });

  it("has everybody still signed in, with what they have paid for", async () => {
    const member = new Visitor(program.origin);
    member.cookie = cookies.member;
    expect((await member.get("/premium")).status).toBe(200);
    expect((await member.get("/account")).text).toContain("member@example.test");
    const free = new Visitor(program.origin);
    free.cookie = cookies.free;
    expect((await free.get("/account")).text).toContain("free.reader@example.test");
    expect((await free.get("/premium")).status).toBe(302);
  });

  it.each(Object.entries(passwords))("lets %s in with the password", async (email, password) => {
    const visitor = new Visitor(program.origin);
    expect((await visitor.post("/auth/login", { json: { email, password } })).status).toBe(200);
    const wrong = await visitor.post("/auth/login", { json: { email, password: `${password}!` } });
    expect(wrong.status).toBe(401);
  });

  it("has its mails and the local Stripe's state", () => {
    expect(readdirSync(join(data.path, "outbox"))).toContain(
      "2026-11-23T16-03-48.160Z-000001-fd4d4165.eml",
    );
    const state = readFileSync(join(data.path, "stripe-sandbox.json"), "utf8");
    const members = before.get("profiles")?.flatMap(({ stripe_subscription_id: id }) => id ?? []);
    expect(members).toHaveLength(1);
    expect(state).toContain(`"${members?.[0]}"`);
  });

  it("was backed up before it was changed", async () => {
    const [name = "", ...others] = readdirSync(join(data.path, "backups"));
    expect(others).toEqual([]);
    expect(name).toMatch(/-before-upgrade-from-schema-1\.tar\.gz$/);
    const backup = await verifyBackup(readBackupFile(join(data.path, "backups", name)));
    expect(backup.manifest.migrations).toHaveLength(1);
    expect(backup.end.rows["public.users"]).toBe(3);
  });
});
