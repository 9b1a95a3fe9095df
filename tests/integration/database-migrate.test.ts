import { readdir } from "node:fs/promises";
import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "~db/client";
import { migrateDatabase } from "~db/migrate";
import { migrationsFolder } from "~db/migrations-folder";
import { createTestDatabase, type TestDatabase } from "../support/postgres";

let testDatabase: TestDatabase;
const cleanUps: (() => unknown)[] = [];

beforeEach(async () => {
  testDatabase = await createTestDatabase({ empty: true });
  cleanUps.push(() => testDatabase.drop());
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function open(url = testDatabase.url) {
  const database = openDatabase(url);
  cleanUps.push(() => database.close());
  return database;
}

/** Returns the database's address for a new role with these rights, which owns nothing. */
async function addressOfNewRole(name: string, rights: string[] = []): Promise<string> {
  const { db } = open(testDatabase.superuserUrl);
  const role = `${name}_${Date.now().toString(36)}`;
  await db.execute(sql.raw(`create role ${role} login password '${name}'`));
  cleanUps.push(async () => {
    await db.execute(sql.raw(`drop owned by ${role}`));
    await db.execute(sql.raw(`drop role ${role}`));
  });
  for (const right of rights) await db.execute(sql.raw(`grant ${right} to ${role}`));
  const url = new URL(testDatabase.url);
  url.username = role;
  url.password = name;
  return url.href;
}

async function countMigrations(): Promise<number> {
  const files = await readdir(migrationsFolder());
  return files.filter((file) => file.endsWith(".sql")).length;
}

describe("the migrations", () => {
  it("are applied once when many instances start on an empty database together", async () => {
    const all = await countMigrations();
    const applied = await Promise.all(Array.from({ length: 6 }, () => migrateDatabase(open())));
    expect(applied.toSorted()).toEqual([0, 0, 0, 0, 0, all]);

    const [row] = await open().db.execute(
      sql`select count(*)::int as applied, to_regclass('public.users') is not null as users from drizzle.__drizzle_migrations`,
    );
    expect(row).toEqual({ applied: all, users: true });
  });

  it("wait for an instance that is migrating, and not for one that was killed", async () => {
    const holder = open();
    let end: (reason: Error) => void = () => {};
    const killed = holder.db
      .transaction(async (tx) => {
        await tx.execute(sql`create schema drizzle`);
        await tx.execute(sql`select pg_advisory_xact_lock(7240918355102)`);
        await new Promise((_resolve, reject) => {
          end = reject;
        });
      })
      .catch(() => {});
    const observer = open();
    const waiting = () =>
      observer.db
        .execute(
          sql`select 1 from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`,
        )
        .then((rows) => rows.length);
    const locked = () =>
      observer.db
        .execute(
          sql`select pid from pg_locks where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`,
        )
        .then((rows) => rows[0]?.pid);
    await expect.poll(locked).toBeGreaterThan(0);

    const migrated = migrateDatabase(open());
    await expect.poll(waiting).toBe(1);
    // the server does this when the holder's process is gone
    await observer.db.execute(sql`select pg_terminate_backend(${await locked()}::int)`);
    expect(await migrated).toBe(await countMigrations());
    end(new Error("over"));
    await killed;
  });

  it("need no permission to change the schema when there is nothing to change", async () => {
    await migrateDatabase(open());
    const url = await addressOfNewRole("visitor", [
      "usage on schema drizzle",
      "select on all tables in schema drizzle",
    ]);
    expect(await migrateDatabase(open(url))).toBe(0);
  });

  it("fail in one sentence for a user who may not read the database's release", async () => {
    await migrateDatabase(open());
    const url = await addressOfNewRole("blind");
    await expect(migrateDatabase(open(url))).rejects.toThrow(
      /^The database user may not read which release the database is of: grant it USAGE on the schema 'drizzle' [^\n]+$/,
    );
  });

  it("fail in one sentence for a user who may not create tables", async () => {
    const url = await addressOfNewRole("stranger");
    await expect(migrateDatabase(open(url))).rejects.toThrow(
      /^The database user may not create or change the site's tables: [^\n]+$/,
    );
  });
});
