import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { migrateDatabase } from "~db/migrate";
import { embeddedDatabase } from "../../support/embedded-database";
import { NOT_DURABLE } from "../../support/embedded-program";
import { setEmbeddedScene } from "../../support/embedded-scene";
import { OwnPostgres } from "../../support/own-postgres";

const { connect, cleanUpWith, emptyDirectory, serve, start } = setEmbeddedScene();

/**
 * A data directory of the previous version: its server listens on TCP and still runs, as after kill -9 of the
 * program, and everything is owned by the superuser, as which the site connected.
 */
async function olderInstallation(settings: Record<string, string> = {}) {
  const dataDir = await emptyDirectory();
  const server = await OwnPostgres.create(dataDir, settings);
  cleanUpWith(() => server.remove());
  await connect(server.url).db.execute(sql`create database golden_path`);
  const url = new URL(server.url);
  url.pathname = "/golden_path";
  const database = connect(url.href);
  await migrateDatabase(database);
  const { db } = database;
  await db.execute(
    sql`insert into users (email, password_hash) values ('kept@example.test', 'hash')`,
  );
  // and whatever later migrations may bring along
  await db.execute(sql.raw("create schema shop"));
  await db.execute(sql.raw("create type shop.size as enum ('small', 'large')"));
  await db.execute(
    sql.raw(`create table shop."Things" (id int generated always as identity, no serial,
      size shop.size, twice int generated always as (1 + 1) stored) partition by list (id)`),
  );
  await db.execute(sql.raw(`create table shop.one partition of shop."Things" for values in (1)`));
  await db.execute(sql.raw(`create view shop.sizes as select size from shop."Things"`));
  await db.execute(sql.raw("create function shop.half(int) returns int return $1 / 2"));
  return { dataDir, server, tcpUrl: url.href };
}

/** The owners of the site's database and of everything in it that is not PostgreSQL's own. */
async function owners(url: string): Promise<unknown[]> {
  const rows = await connect(url).db.execute(sql`
    with schemas as (select * from pg_namespace where nspname in ('drizzle', 'shop'))
    select distinct pg_get_userbyid(owner) as owner from (
      select nspowner from schemas
      union all select relowner from pg_class
        where relnamespace in (select oid from schemas) or relnamespace = 'public'::regnamespace
      union all select proowner from pg_proc where pronamespace in (select oid from schemas)
      union all select typowner from pg_type where typnamespace in (select oid from schemas)
      union all select datdba from pg_database where datname = current_database()
    ) owned (owner)`);
  return rows.map(({ owner }) => owner);
}

async function expectMoved(dataDir: string, url: string): Promise<void> {
  expect(new URL(url).username).toBe("golden_path_site");
  const site = connect(url);
  const superuser = connect((await embeddedDatabase(dataDir)).url);
  const [settings] = await superuser.db.execute(
    sql`select current_setting('listen_addresses') as tcp, current_setting('unix_socket_directories') as folder`,
  );
  expect(settings).toEqual({ tcp: "", folder: expect.stringContaining(`${dataDir}/postgres`) });
  expect(await site.db.execute(sql`select email from users`)).toEqual([
    { email: "kept@example.test" },
  ]);
  expect(await owners((await embeddedDatabase(dataDir)).url)).toEqual(["golden_path_site"]);
  // later migrations change existing objects
  await site.db.execute(sql`alter table users add column next_version text`);
  await site.db.execute(sql`alter table users drop column next_version`);
  await site.db.execute(sql`alter type shop.size add value if not exists 'huge'`);
  expect(await migrateDatabase(site)).toBe(0);
}

describe("a data directory of the version that listened on TCP as superuser", () => {
  it("is migrated automatically, and survives a downgrade and another upgrade", async () => {
    const { dataDir, server } = await olderInstallation();
    await server.stop();
    const messages: string[] = [];
    const first = await serve(dataDir, { log: (_level, message) => messages.push(message) });
    await expectMoved(dataDir, first.url);
    expect(messages).toEqual([
      "The embedded database now belongs to a role of its own that is no superuser.",
    ]);
    await first.stop();

    // a temporary downgrade, whose migrations ran as superuser
    await server.start();
    const superuser = new URL(server.url);
    superuser.pathname = "/golden_path";
    const { db } = connect(superuser.href);
    await db.execute(sql`create table made_by_the_older_version (row int)`);
    await server.stop();
    await expectMoved(dataDir, (await serve(dataDir)).url);
  });

  it("is intact after kill -9 half-way, and the next start completes the migration", async () => {
    const settings = { max_prepared_transactions: "1" };
    const { dataDir, tcpUrl } = await olderInstallation(settings);
    // a lock that survives a restart of the server blocks the migration
    await connect(tcpUrl).db.execute(
      sql.raw("begin; lock table users in access share mode; prepare transaction 'held'"),
    );
    const killed = start({ dataDir, purpose: "serve", settings: { ...NOT_DURABLE, ...settings } });
    killed.opened.catch(() => {});
    const superuser = async () =>
      embeddedDatabase(dataDir).then(
        ({ url }) => (new URL(url).hostname.startsWith("%2F") ? connect(url) : null),
        () => null,
      );
    const isHeldUp = async () => {
      const database = await superuser();
      const rows = await database?.db
        .execute(
          sql`select from pg_stat_activity where wait_event_type = 'Lock' and application_name = 'golden-path-roles'`,
        )
        .catch(() => []);
      return rows?.length;
    };
    await expect.poll(isHeldUp).toBe(1);
    await killed.kill();

    const { db } = connect((await embeddedDatabase(dataDir)).url);
    expect(await owners((await embeddedDatabase(dataDir)).url)).toEqual(["golden_path"]);
    await db.execute(sql`rollback prepared 'held'`);
    await expectMoved(dataDir, (await serve(dataDir, { settings })).url);
  });
});
