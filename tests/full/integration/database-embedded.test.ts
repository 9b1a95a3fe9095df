import { existsSync } from "node:fs";
import { chmod, readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openDatabase } from "~db/client";
import { embeddedDatabase } from "../../support/embedded-database";
import { NOT_DURABLE } from "../../support/embedded-program";
import {
  isServerRunning,
  keepRow,
  keptRows,
  sentence,
  setEmbeddedScene,
} from "../../support/embedded-scene";

const { cleanUpWith, connect, dataDirectory, emptyDirectory, serve, start } = setEmbeddedScene();

describe("an embedded PostgreSQL", () => {
  it("keeps its data over a restart and leaves nothing running", async () => {
    const dataDir = await emptyDirectory();
    const first = await serve(dataDir);
    await keepRow(first.url, "first");
    const { db, close } = openDatabase(first.url);
    const [settings] = await db.execute(
      sql`select current_setting('fsync') as fsync, current_setting('server_encoding') as encoding,
        current_setting('listen_addresses') as tcp, current_setting('server_version_num')::int / 10000 as major,
        lower('ÄŽ') as lower`,
    );
    await close();
    expect(settings).toEqual({
      fsync: "on",
      encoding: "UTF8",
      tcp: "",
      major: 18,
      lower: "äž",
    });
    await first.stop();
    expect(await isServerRunning(dataDir)).toBe(false);

    const second = await serve(dataDir);
    expect(await keptRows(second.url)).toEqual(["first"]);
    await second.stop();
    expect(await readdir(dataDir)).toEqual(["postgres", "postgres.log"]);
  });

  it("requires its password, which only its owner can read", async () => {
    const dataDir = await dataDirectory();
    const { url } = await serve(dataDir);
    const stranger = new URL(url);
    stranger.password = "";
    const { db } = connect(stranger.href);
    await expect(db.execute(sql`select 1`)).rejects.toThrow();
    const { mode } = await stat(join(dataDir, "postgres/golden-path.password"));
    expect(mode & 0o777).toBe(0o600);
  });

  it("leaves nothing running if its start is aborted", async () => {
    const dataDir = await dataDirectory();
    const giveUp = new AbortController();
    const opening = serve(dataDir, { signal: giveUp.signal });
    const given = expect(opening).rejects.toThrow("aborted");
    await expect.poll(() => isServerRunning(dataDir), { interval: 1, timeout: 60_000 }).toBe(true);
    giveUp.abort();
    await given;
    expect(await isServerRunning(dataDir)).toBe(false);
  });
});

describe("after kill -9", () => {
  it("of the program, the next start adopts the server that was left behind", async () => {
    const dataDir = await dataDirectory();
    const killed = start({ dataDir, purpose: "serve" });
    const before = await killed.opened;
    await keepRow(before.url, "acknowledged");
    await killed.kill();
    expect(await isServerRunning(dataDir)).toBe(true);

    const postgres = await serve(dataDir);
    expect(postgres.server().pid).toBe(before.pid);
    expect(await keptRows(postgres.url)).toEqual(["acknowledged"]);
    await postgres.stop();
    expect(await isServerRunning(dataDir)).toBe(false);
  });

  it("of the program and its server together, the next start recovers every acknowledged row", async () => {
    const dataDir = await dataDirectory();
    const killed = start({ dataDir, purpose: "serve" });
    const { url, pid } = await killed.opened;
    await keepRow(url, "acknowledged");
    process.kill(pid, "SIGKILL");
    await killed.kill();

    const postgres = await serve(dataDir);
    expect(await keptRows(postgres.url)).toEqual(["acknowledged"]);
  });

  it("ignores another process with the server's former pid", async () => {
    const dataDir = await dataDirectory();
    const pidFile = join(dataDir, "postgres/postmaster.pid");
    const lines = [
      process.pid,
      join(dataDir, "postgres"),
      1,
      5299,
      "",
      "127.0.0.1",
      "1 1",
      "ready",
    ];
    await writeFile(pidFile, `${lines.join("\n")}\n`);
    expect((await serve(dataDir)).server()).toMatchObject({ host: join(dataDir, "postgres") });
  });

  it("ignores an empty pid file, as after a power cut", async () => {
    const dataDir = await dataDirectory();
    await writeFile(join(dataDir, "postgres/postmaster.pid"), "");
    await connect((await serve(dataDir)).url).db.execute(sql`select 1`);
  });
});

describe("errors the operator has to fix", () => {
  it("a data directory that is a file", async () => {
    const dataDir = join(await emptyDirectory(), "file");
    await writeFile(dataDir, "");
    expect(await sentence(serve(dataDir, { settings: NOT_DURABLE }))).toBe(
      `DATA_DIR ${dataDir} is a file, not a directory. Choose another DATA_DIR.`,
    );
  });

  it("a foreign file or folder in the database's place", async () => {
    const dataDir = await emptyDirectory();
    const blocked = join(dataDir, "postgres");
    await writeFile(blocked, "");
    expect(await sentence(serve(dataDir, { settings: NOT_DURABLE }))).toContain(
      `${blocked} exists but is not`,
    );
  });

  it("a cluster of another PostgreSQL", async () => {
    const dataDir = await dataDirectory();
    await writeFile(join(dataDir, "postgres/PG_VERSION"), "17\n");
    expect(await sentence(serve(dataDir, { settings: NOT_DURABLE }))).toContain(
      "was created by PostgreSQL 17, but this program includes PostgreSQL 18",
    );
  });

  it("a damaged setting: the server's own message, and its log's path", async () => {
    const dataDir = await dataDirectory();
    await writeFile(join(dataDir, "postgres/postgresql.auto.conf"), "shared_buffers = 'much'\n");
    expect(await sentence(serve(dataDir, { settings: NOT_DURABLE }))).toMatch(
      /^The embedded PostgreSQL did not start on .+: .+ \(its log is .+postgres\.log\)\.$/,
    );
  });

  it.skipIf(process.getuid?.() === 0)("a read-only data directory", async () => {
    const dataDir = await emptyDirectory();
    await chmod(dataDir, 0o555);
    expect(await sentence(serve(dataDir, { settings: NOT_DURABLE }))).toContain(
      `DATA_DIR ${dataDir} cannot be written`,
    );
  });
});

describe("two programs on one data directory", () => {
  it("do not both serve: the second says why, and the first continues", async () => {
    const dataDir = await dataDirectory();
    const first = await serve(dataDir);
    expect(await sentence(start({ dataDir, purpose: "serve" }).opened)).toBe(
      `Another program already serves from DATA_DIR ${dataDir}: stop it first, or start this one with another DATA_DIR (and PORT).`,
    );
    await keepRow(first.url, "still here");
  });

  it("share the server when one is a command, which leaves it running", async () => {
    const dataDir = await dataDirectory();
    const server = await serve(dataDir);
    const command = start({ dataDir, purpose: "command" });
    expect(await command.opened).toEqual({ url: server.url, ...server.server() });
    await command.stop();
    expect(await isServerRunning(dataDir)).toBe(true);
    await keepRow(server.url, "still here");
  });

  it("leave the server to a command that outlives the serving program", async () => {
    const dataDir = await dataDirectory();
    const server = await serve(dataDir);
    const command = start({ dataDir, purpose: "command" });
    await command.opened;
    await server.stop();
    expect(await isServerRunning(dataDir)).toBe(true);
    await command.stop();
    expect(await isServerRunning(dataDir)).toBe(false);
  });

  it("can start concurrently: one serves, and the commands use the same data", async () => {
    const dataDir = await emptyDirectory();
    const programs = [
      start({ dataDir, purpose: "serve", settings: NOT_DURABLE }),
      start({ dataDir, purpose: "serve", settings: NOT_DURABLE }),
      start({ dataDir, purpose: "command", settings: NOT_DURABLE }),
    ];
    const results = await Promise.allSettled(programs.map(({ opened }) => opened));
    const opened = results.flatMap((result) =>
      result.status === "fulfilled" ? [result.value] : [],
    );
    expect(opened).toHaveLength(2);
    expect(opened[0]).toEqual(opened[1]);
    expect(
      results.flatMap((result) => (result.status === "rejected" ? [result.reason.message] : [])),
    ).toEqual([expect.stringContaining(`Another program already serves from DATA_DIR ${dataDir}`)]);

    await Promise.all(programs.map((started) => started.stop()));
    expect(await isServerRunning(dataDir)).toBe(false);
    expect(await readdir(dataDir)).toEqual(["postgres", "postgres.log"]);
  });

  it("cannot both serve from two machines or containers either", async () => {
    const dataDir = await emptyDirectory();
    const sign = join(dataDir, "postgres.host");
    await writeFile(sign, "elsewhere");
    const beating = setInterval(() => void utimes(sign, new Date(), new Date()), 300);
    cleanUpWith(() => clearInterval(beating));
    expect(await sentence(serve(dataDir))).toContain(
      `DATA_DIR ${dataDir} is in use by a program on another machine or in another container (elsewhere)`,
    );
  });

  it("take over at once from a machine with a stale heartbeat", async () => {
    const dataDir = await dataDirectory();
    const sign = join(dataDir, "postgres.host");
    await writeFile(sign, "elsewhere");
    const longAgo = new Date(Date.now() - 3_600_000);
    await utimes(sign, longAgo, longAgo);
    await serve(dataDir, { settings: NOT_DURABLE });
    expect(await readFile(sign, "utf8")).not.toBe("elsewhere");
  });
});

describe("a server that dies while in use", () => {
  it("is restarted on the same socket, and the pool recovers without losing a committed row", async () => {
    const dataDir = await dataDirectory();
    const messages: string[] = [];
    const postgres = await serve(dataDir, { log: (_level, message) => messages.push(message) });
    const { db } = connect(postgres.url);
    await db.execute(sql`create table kept (row int)`);

    const acknowledged: number[] = [];
    let next = 0;
    let writing = true;
    const writers = Array.from({ length: 6 }, async () => {
      while (writing) {
        const row = ++next;
        await db
          .transaction((tx) => tx.execute(sql`insert into kept values (${row})`))
          .then(() => acknowledged.push(row))
          .catch(() => {});
      }
    });
    for (let round = 1; round <= 4; round++) {
      const { pid } = postgres.server();
      const rows = acknowledged.length;
      await expect.poll(() => acknowledged.length).toBeGreaterThan(rows + 20);
      process.kill(pid, "SIGKILL");
      await expect.poll(() => postgres.server().pid).not.toBe(pid);
    }
    const rows = acknowledged.length;
    await expect.poll(() => acknowledged.length).toBeGreaterThan(rows + 20);
    writing = false;
    await Promise.all(writers);

    const kept = new Set((await db.execute(sql`select row from kept`)).map(({ row }) => row));
    expect(acknowledged.filter((row) => !kept.has(row))).toEqual([]);
    expect(messages).toContain("The embedded PostgreSQL stopped unexpectedly; restarting it.");
    expect(messages.at(-1)).toMatch(/^The embedded PostgreSQL is back after \d+ ms\.$/);
  });

  it("still has an owner after the owner's session was terminated", async () => {
    const dataDir = await dataDirectory();
    await serve(dataDir, { settings: NOT_DURABLE });
    const { db } = connect((await embeddedDatabase(dataDir)).url);
    const owners = sql`select pid from pg_stat_activity where application_name = 'golden-path-owner'`;
    const [before] = await db.execute(owners);
    await db.execute(sql`select pg_terminate_backend(${before?.pid}::int)`);
    // the old session takes a moment to end, and the new one another to start
    const isOwnedAnew = async () => {
      const pid = (await db.execute(owners))[0]?.pid;
      return pid !== undefined && pid !== before?.pid;
    };
    await expect.poll(isOwnedAnew).toBe(true);
    expect(await sentence(start({ dataDir, purpose: "serve" }).opened)).toContain("already serves");
  });

  it("is restarted after a clean stop by an operator, and queries wait for it", async () => {
    const dataDir = await dataDirectory();
    const postgres = await serve(dataDir, { settings: NOT_DURABLE });
    const { db, close } = openDatabase(postgres.url, { restartTimeout: 10_000 });
    cleanUpWith(close);
    const { pid, ...address } = postgres.server();
    process.kill(pid, "SIGINT");
    // a clean stop removes the socket
    const socket = join(address.host, ".s.PGSQL.5432");
    const isAway = () => !existsSync(socket) || postgres.server().pid !== pid;
    await expect.poll(isAway, { interval: 5, timeout: 60_000 }).toBe(true);
    expect(await db.execute(sql`select 1 as one`)).toEqual([{ one: 1 }]);
    await expect.poll(() => postgres.server().pid).not.toBe(pid);
    expect(postgres.server()).toMatchObject(address);
    await postgres.stop();
    expect(await isServerRunning(dataDir)).toBe(false);
  });
});
