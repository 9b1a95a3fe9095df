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
const OLD_SITE = join(FIXTURES, "release-9840811.tar.gz");
const { settings, cookies, passwords, unsubscribe } = JSON.parse(
  readFileSync(join(FIXTURES, "release-9840811.json"), "utf8"),
) as {
  settings: Record<string, string>;
  cookies: Record<"free" | "member", string>;
  passwords: Record<string, string>;
  /** The path of a link in a mail. */
  unsubscribe: string;
};

type Row = Record<string, unknown>;

const data = temporaryDirectory();
let program: Program;
/** The rows of every table, as the older release left them. */
let before: Map<string, Row[]>;

/** Returns the rows of these tables, or of all. */
async function rowsOf({ db }: Database, tables?: Iterable<string>): Promise<Map<string, Row[]>> {
  const all = await db.execute<{ name: string }>(
    sql`select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  );
  const rows = new Map<string, Row[]>();
  for (const name of tables ?? all.map(({ name }) => name)) {
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

/** Makes the site as old as if it had just been in use; otherwise its sessions would have expired. */
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
  const variables = { ...settings, DATA_DIR: data.path };
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

describe("the site of release 9840811 under this release", () => {
  it("has every row unchanged", async () => {
    const kept = {
      users: 3,
      profiles: 3,
      memberships: 1,
      subscribers: 2,
      notes: 1,
      reading_progress: 2,
      sessions: 3,
      password_resets: 1,
      webhook_events: 5,
      mails: 7,
    };
    const counts = [...before].map(([name, rows]) => [name, rows.length]);
    expect(Object.fromEntries(counts)).toMatchObject(kept);
    const database = await openEmbeddedDatabase(data.path);
    try {
      const after = await rowsOf(database, Object.keys(kept));
      for (const name of Object.keys(kept)) {
        const rows = before.get(name) ?? [];
        // later additions are not compared
        const columns = Object.keys(rows[0] ?? {});
        const same = (row: Row) => Object.fromEntries(columns.map((key) => [key, row[key]]));
        const sorted = (some: Row[]) => some.map((row) => JSON.stringify(same(row))).sort();
        expect(sorted(after.get(name) ?? []), name).toEqual(sorted(rows));
      }
    } finally {
      await database.close();
    }
  });

  it("keeps everyone signed in, with their memberships", async () => {
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

  it("has a member's note and reading progress", async () => {
    const member = new Visitor(program.origin);
    member.cookie = cookies.member;
    expect((await member.get("/premium/chapters/gates")).text).toContain("The gate is green.");
    const chapters = await member.get("/premium/chapters");
    expect(chapters.text).toMatch(/hills[\s\S]*Read/);
  });

  it("shows the words and the picture of its landing.yml, and the chapters of its edition", async () => {
    const { text } = await new Visitor(program.origin).get("/");
    for (const words of ["She walks.", "Ada Bee", "Lantern &amp; Sons", "Maren at her door"]) {
      expect(text).toContain(words);
    }
    expect((await new Visitor(program.origin).get("/preview/gates")).status).toBe(200);
  });

  it("unsubscribes by the link of an old mail", async () => {
    const reader = new Visitor(program.origin);
    const { pathname, search, searchParams } = new URL(unsubscribe, program.origin);
    expect((await reader.get(pathname + search)).status).toBe(200);
    const token = searchParams.get("token") ?? "";
    expect((await reader.post(pathname, { form: { token } })).headers.location).toBe("/");
    expect((await reader.get("/")).text).toContain("You’ve been unsubscribed.");
  });

  it("has its mails and the local Stripe's state", () => {
    expect(readdirSync(join(data.path, "outbox"))).toContain(
      "2026-11-27T23-36-05.313Z-000001-cd98a325.eml",
    );
    const state = readFileSync(join(data.path, "stripe-sandbox.json"), "utf8");
    const members = before.get("profiles")?.flatMap(({ stripe_subscription_id: id }) => id ?? []);
    expect(members).toHaveLength(1);
    expect(state).toContain(`"${members?.[0]}"`);
  });
});
