import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, rename, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { databaseErrorCode } from "~db/database-errors";
import { parseSocketAddress, socketPath } from "~db/database-url";
import { embeddedDatabase } from "../../support/embedded-database";
import { NOT_DURABLE } from "../../support/embedded-program";
import { isServerRunning, keepRow, keptRows, setEmbeddedScene } from "../../support/embedded-scene";
import { networkSockets } from "../../support/open-ports";
import { OwnPostgres } from "../../support/own-postgres";

const { cleanUpWith, connect, dataDirectory, emptyDirectory, serve, start } = setEmbeddedScene();

/** An unprivileged user that owns nothing; every system has it. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/** A data directory that was used before, of this name below an empty one. */
async function dataDirectoryAt(...names: string[]): Promise<string> {
  const parent = await emptyDirectory();
  // under root, PostgreSQL's own user needs execute permission
  await chmod(parent, 0o711);
  const dataDir = join(parent, ...names);
  await mkdir(dirname(dataDir), { recursive: true });
  await rename(await dataDirectory(), dataDir);
  return dataDir;
}

function socketOf(url: string): { host: string; path: string } {
  const address = parseSocketAddress(url);
  if (address === null) throw new Error("Not on a Unix socket.");
  return { host: address.host, path: socketPath(address) };
}

/** Opens connections as another user, without completing the log-in; returns their outcomes. */
async function attackAs(user: { uid: number; gid: number }, path: string, count: number) {
  const script = `
    const { connect } = require("node:net");
    const outcomes = {};
    let left = ${count};
    const count = (outcome) => {
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      if (--left === 0) { console.log(JSON.stringify(outcomes)); process.exit(); }
    };
    for (let i = 0; i < ${count}; i++) {
      connect(process.argv[1]).once("connect", () => count("open")).once("error", ({ code }) => count(code));
    }`;
  const options = { cwd: "/", ...user };
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", script, path], options);
  return JSON.parse(stdout) as Record<string, number>;
}

describe("other users of the machine", () => {
  it("find no port of the server", async ({ skip }) => {
    if (process.platform !== "linux") skip("only Linux shows a process's sockets in /proc");
    const { url, server } = await serve(await dataDirectory(), { settings: NOT_DURABLE });
    await connect(url).db.execute(sql`select 1`);
    expect(await networkSockets(server().pid)).toEqual([]);

    // the same check finds the port of a server that has one
    const other = await OwnPostgres.create();
    cleanUpWith(() => other.remove());
    expect(await networkSockets(other.pid)).toHaveLength(1);
  });

  it("cannot enter the folder of its socket or use the socket", async () => {
    const dataDir = await dataDirectory();
    const { host, path } = socketOf((await serve(dataDir, { settings: NOT_DURABLE })).url);
    expect(host).toBe(join(dataDir, "postgres"));
    expect((await stat(host)).mode & 0o777).toBe(0o700);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
  });

  it("cannot leave log-ins half open, even if they could enter that folder", async ({ skip }) => {
    if (process.getuid?.() !== 0) skip("only root can act as another user");
    const dataDir = await dataDirectory();
    // with PostgreSQL's default mode, and all parent folders open
    await chmod(join(dataDir, "postgres"), 0o750);
    const { url } = await serve(dataDir, { settings: NOT_DURABLE });
    await chmod(dataDir, 0o755);
    const { host, path } = socketOf(url);
    expect(await attackAs(NOBODY, path, 49)).toEqual({ EACCES: 49 });
    const group = { uid: NOBODY.uid, gid: (await stat(host)).gid };
    expect(await attackAs(group, path, 49)).toEqual({ EACCES: 49 });
    await connect(url).db.execute(sql`select 1`);
  });
});

describe("the site's role", () => {
  it("owns the site's database and has no privileges over the server", async () => {
    const { url } = await serve(await dataDirectory(), { settings: NOT_DURABLE });
    const { db } = connect(url);
    const [role] = await db.execute(sql`
      select rolname as name, rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as special,
        datdba = pg_roles.oid as owner,
        (select count(*)::int from pg_auth_members where member = pg_roles.oid) as memberships
      from pg_roles, pg_database where rolname = session_user and datname = current_database()`);
    expect(role).toEqual({
      name: "golden_path_site",
      special: false,
      owner: true,
      memberships: 0,
    });
  });

  it("cannot read files, run programs, or gain privileges", async () => {
    const { url } = await serve(await dataDirectory(), { settings: NOT_DURABLE });
    const { db } = connect(url);
    const statements = [
      "copy (select 1) to program 'true'",
      "copy (select 1) to '/tmp/golden-path-copied'",
      "create temporary table passwords (line text); copy passwords from '/etc/passwd'",
      "select pg_read_file('golden-path.password')",
      "select pg_ls_dir('.')",
      "select lo_import('/etc/passwd')",
      "create role another superuser",
      "create database another",
      "alter role golden_path_site superuser",
      "alter role golden_path password 'taken'",
      "set role golden_path",
      "alter system set archive_command = 'true'",
      "create extension file_fdw",
      "create function c() returns int language c as 'libc', 'getpid'",
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'golden-path-owner'",
      "select rolpassword from pg_authid",
    ];
    const outcomes: Record<string, string | undefined> = {};
    for (const statement of statements) {
      outcomes[statement] = await db.execute(sql.raw(statement)).then(
        () => "done",
        (reason: unknown) => databaseErrorCode(reason),
      );
    }
    const denied = "42501";
    expect(outcomes).toEqual(Object.fromEntries(statements.map((text) => [text, denied])));
  });

  it("cannot plant objects in its database that the superuser would run", async () => {
    const dataDir = await dataDirectory();
    const first = await serve(dataDir, { settings: NOT_DURABLE });
    const site = connect(first.url);
    // a closer match than PostgreSQL's own function of this name, which takes text
    await site.db.execute(
      sql.raw(`create function public.quote_ident(name) returns text language plpgsql as $$
        begin
          alter role golden_path_site superuser;
          return pg_catalog.quote_ident($1);
        end $$`),
    );
    const superuser = connect((await embeddedDatabase(dataDir)).url);
    await superuser.db.execute(sql`create table left_to_be_handed_over (row int)`);
    await first.stop();

    const { db } = connect((await serve(dataDir, { settings: NOT_DURABLE })).url);
    await db.execute(sql`drop table left_to_be_handed_over`);
    const [role] = await db.execute(
      sql`select rolsuper from pg_roles where rolname = session_user`,
    );
    expect(role).toEqual({ rolsuper: false });
  });

  it("gets its attributes and its password back at the next start", async () => {
    const dataDir = await dataDirectory();
    const first = await serve(dataDir, { settings: NOT_DURABLE });
    await keepRow(first.url, "kept");
    const superuser = connect((await embeddedDatabase(dataDir)).url);
    await superuser.db.execute(sql`alter role golden_path_site superuser createdb password 'x'`);
    await first.stop();
    const { url } = await serve(dataDir, { settings: NOT_DURABLE });
    expect(url).toBe(first.url);
    expect(await keptRows(url)).toEqual(["kept"]);
    const [role] = await connect(url).db.execute(
      sql`select rolsuper or rolcreatedb as special from pg_roles where rolname = session_user`,
    );
    expect(role).toEqual({ special: false });
  });
});

describe("a socket", () => {
  it("is in a private temporary folder if DATA_DIR's path is too long, the same for every program", async () => {
    const dataDir = await dataDirectoryAt(...Array(11).fill("ten_bytes"));
    const killed = start({ dataDir, purpose: "serve" });
    const { url, pid, host } = await killed.opened;
    await keepRow(url, "kept");
    expect(host).toMatch(new RegExp(`^${tmpdir()}/golden-path-socket-`));
    const { mode, uid } = await stat(host);
    expect(mode & 0o777).toBe(0o700);
    expect(uid).toBe((await stat(join(dataDir, "postgres"))).uid);
    const command = start({ dataDir, purpose: "command" });
    expect((await command.opened).url).toBe(url);
    await command.stop();

    // adopted, recovered in the same place, and removed at the end
    await killed.kill();
    const postgres = await serve(dataDir);
    expect(postgres.url).toBe(url);
    process.kill(pid, "SIGKILL");
    await expect.poll(() => postgres.server().pid).not.toBe(pid);
    expect(postgres.server().host).toBe(host);
    expect(await keptRows(url)).toEqual(["kept"]);
    await postgres.stop();
    expect(await isServerRunning(dataDir)).toBe(false);
    expect(await readdir(tmpdir())).not.toContain(host.slice(tmpdir().length + 1));
  });
});
