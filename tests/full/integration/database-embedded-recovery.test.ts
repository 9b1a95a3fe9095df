import { existsSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openDatabase } from "~db/client";
import { embeddedDatabase } from "../../support/embedded-database";
import { NOT_DURABLE } from "../../support/embedded-program";
import { isServerRunning, sentence, setEmbeddedScene } from "../../support/embedded-scene";

const { cleanUpWith, connect, dataDirectory, serve, start } = setEmbeddedScene();

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

  it("is still owned after the owner's session was terminated", async () => {
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
