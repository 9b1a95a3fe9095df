import { chmod, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openDatabase } from "~db/client";
import { NOT_DURABLE } from "../../support/embedded-program";
import {
  isServerRunning,
  keepRow,
  keptRows,
  sentence,
  setEmbeddedScene,
} from "../../support/embedded-scene";

const { connect, dataDirectory, emptyDirectory, serve, start } = setEmbeddedScene();

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

  it("whose start is aborted leaves nothing running", async () => {
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

  it("another process with the server's former pid does not matter", async () => {
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

  it("an empty pid file, as after a power cut, does not matter", async () => {
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

  it("a folder of something else where the database belongs", async () => {
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

  it("a damaged setting: the server's own words and where its log is", async () => {
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
