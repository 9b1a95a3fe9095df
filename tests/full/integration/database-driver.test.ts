import { execFile } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";
import { resolve } from "node:path";
import { setImmediate as checkPhase } from "node:timers/promises";
import pTimeout from "p-timeout";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { parseSocketAddress, socketPath, withoutSocket } from "~db/database-url";
import { createTestDatabase, type TestDatabase } from "../../support/postgres";

/** The failure message of these tests, which fail when the driver has been fixed. */
const SURVIVED =
  "postgres.js survives this now: see docs/decisions/0002-database-connections.md; once all of these fail, replace db/connection-pool.ts by it";

type Options = postgres.Options<Record<string, never>>;

let testDatabase: TestDatabase;
const cleanUps: (() => unknown)[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase({ empty: true });
});
afterAll(() => testDatabase.drop());
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Opens the plain driver, without our pool, and with a single connection. */
function openDriver(url: string, options: Options = {}): postgres.Sql {
  const sql = postgres(url, { max: 1, onnotice: () => {}, ...options });
  cleanUps.push(() => sql.end({ timeout: 0 }));
  return sql;
}

/** The test server's address, in the driver's format. */
function testServer(): { url: string; path: string } {
  const address = parseSocketAddress(testDatabase.url);
  if (address === null) throw new Error("The test server is expected on a Unix socket.");
  return { url: withoutSocket(testDatabase.url), path: socketPath(address) };
}

/** Starts a server on loopback that passes every connection to `handle`; returns its port. */
async function listen(handle: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    handle(socket);
  }).listen(0, "127.0.0.1");
  cleanUps.push(() => server.close());
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** The code a promise was rejected with, or "resolved". */
async function outcome(promise: PromiseLike<unknown>): Promise<string> {
  return Promise.resolve(promise).then(
    () => "resolved",
    (error: { code?: string }) => String(error.code),
  );
}

describe("plain postgres.js", () => {
  it("sends nothing more on a connection that closed with a write pending", async () => {
    const { url, path } = testServer();
    const sockets: Socket[] = [];
    const options: Options & { socket: () => Socket } = {
      connect_timeout: 2,
      socket: () => {
        const socket = createConnection(path);
        sockets.push(socket);
        return socket;
      },
    };
    const sql = openDriver(url, options);
    await sql`select 1`;

    sockets[0]?.destroy();
    // Node reports the close after this phase of its event loop; what the driver is given in it, it writes
    // in the next one
    await checkPhase();
    await outcome(sql`select 1`);

    const later = [await outcome(sql`select 1`), await outcome(sql`select 1`)];
    expect(later, SURVIVED).toEqual(["CONNECT_TIMEOUT", "CONNECT_TIMEOUT"]);
    expect(sockets).toHaveLength(3);
  });

  it("ends the process when it rolls back a transaction whose connection died", async () => {
    const { url, path } = testServer();
    const script = resolve(import.meta.dirname, "../../../support/lose-transaction.mjs");
    const ended = await new Promise((done) => {
      execFile(process.execPath, [script, url, path], { timeout: 20_000 }, (error, _, stderr) =>
        done({ code: error ? error.code : 0, stderr }),
      );
    });
    expect(ended, SURVIVED).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^TypeError: .* null .*\n +at Immediate\.nextWrite/m),
    });
  });

  it("lets a transaction whose connection closed continue inside another one", async () => {
    const { url, path } = testServer();
    const sql = openDriver(url, { path });
    await sql`create table visits (visitor text)`;
    let writeInLost = async () => "not begun";
    const closed = sql.begin(async (tx) => {
      writeInLost = () => outcome(tx`insert into visits values ('of the lost transaction')`);
      const [session] = await tx`select pg_backend_pid() as pid`;
      await openDriver(url, { path })`select pg_terminate_backend(${session?.pid})`;
      // whatever else it has to wait for
      await new Promise(() => {});
    });
    expect(await outcome(closed)).toBe("CONNECTION_CLOSED");

    const written = await sql.begin(async (tx) => {
      await writeInLost();
      return tx`select visitor from visits`;
    });
    expect(written, SURVIVED).toEqual([{ visitor: "of the lost transaction" }]);
  });

  it("answers one more query after its connection was reset in a transaction, and then none", async () => {
    const { url, path } = testServer();
    const port = await listen((near) => {
      const far = createConnection(path);
      far.on("error", () => near.destroy());
      far.on("data", (data) => near.write(data));
      near.on("close", () => far.destroy());
      near.on("data", (data) => {
        if (data.includes("pg_sleep")) near.resetAndDestroy();
        else far.write(data);
      });
    });
    const sql = openDriver(url, { host: "127.0.0.1", port });
    expect(await outcome(sql.begin((tx) => tx`select pg_sleep(60)`))).not.toBe("resolved");

    const first = await outcome(sql`select 1`);
    const second = await pTimeout(outcome(sql`select 1`), {
      milliseconds: 2_000,
      fallback: () => "no answer",
    });
    expect([first, second], SURVIVED).toEqual(["resolved", "no answer"]);
  });

  it("waits forever for a server that disconnects at every handshake", async () => {
    let greetings = 0;
    const port = await listen((socket) => {
      greetings++;
      socket.end();
    });
    const sql = openDriver(`postgres://nobody@127.0.0.1:${port}/nothing`, { connect_timeout: 0.2 });

    const first = await pTimeout(outcome(sql`select 1`), {
      milliseconds: 2_000,
      fallback: () => "still waiting",
    });
    expect(first, SURVIVED).toBe("still waiting");
    expect(greetings).toBeGreaterThan(10);
  });
});
