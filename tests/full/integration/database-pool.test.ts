import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { count, eq, sql } from "drizzle-orm";
import { pgTable, text, timestamp, uniqueIndex } from "drizzle-orm/pg-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { connectDatabase, type Database, type Executor, openDatabase } from "~db/client";
import { databaseErrorCode, isDatabaseUnavailable } from "~db/database-errors";
import { parseSocketAddress, socketPath } from "~db/database-url";
import { openConnection } from "~db/open-connection";
import { eventually } from "../../support/eventually";
import { createTestDatabase, type TestDatabase } from "../../support/postgres";

const guests = pgTable(
  "guests",
  {
    email: text("email").notNull(),
    arrivedAt: timestamp("arrived_at", { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [uniqueIndex("guests_email_unique").on(sql`lower(${table.email})`)],
);

let testDatabase: TestDatabase;
const cleanUps: (() => unknown)[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const { db, close } = openDatabase(testDatabase.url);
  await db.execute(
    sql`create table guests (email text not null, arrived_at timestamptz not null default now())`,
  );
  await db.execute(sql`create unique index guests_email_unique on guests (lower(email))`);
  await close();
});
afterAll(() => testDatabase.drop());
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function open(options: Parameters<typeof openDatabase>[1] = {}, url = testDatabase.url): Database {
  const database = openDatabase(url, options);
  cleanUps.push(() => database.close());
  return database;
}

/** A server on a free port; `handle` gets every connection. */
async function listen(handle: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    handle(socket);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  cleanUps.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return address && typeof address === "object" ? address.port : 0;
}

/** A TCP proxy to the test server that can be cut and restored, like a network; `alter` changes its responses. */
async function openTunnel(alter = (data: Buffer) => data) {
  const target = parseSocketAddress(testDatabase.url);
  if (target === null) throw new Error("The test server is expected on a Unix socket.");
  const pairs = new Set<Socket>();
  let state: "open" | "silent" | "cut" = "open";
  const port = await listen((near) => {
    if (state === "cut") return near.destroy();
    if (state === "silent") return;
    const far = connect(socketPath(target));
    far.on("error", () => near.destroy());
    for (const [from, to, pass] of [
      [near, far, (data: Buffer) => data],
      [far, near, alter],
    ] as const) {
      pairs.add(from);
      from.on("data", (data) => state === "open" && to.write(pass(data)));
      from.on("close", () => to.destroy());
    }
  });
  const url = new URL(testDatabase.url);
  url.hostname = "127.0.0.1";
  url.port = String(port);
  return {
    url: url.href,
    /** Breaks every connection and refuses new ones. */
    cut: () => {
      state = "cut";
      for (const socket of pairs) socket.destroy();
    },
    /** Swallows everything without a response, like a machine without power. */
    silence: () => {
      state = "silent";
    },
    restore: () => {
      state = "open";
    },
  };
}

const reason = (promise: PromiseLike<unknown>) =>
  Promise.resolve(promise).then(
    () => new Error("It has not failed."),
    (error: Error) => error,
  );

describe("values", () => {
  it("are read the same with any database settings", async () => {
    const own = await createTestDatabase({ empty: true });
    cleanUps.push(() => own.drop());
    const name = new URL(own.url).pathname.slice(1);
    const settings = "DateStyle = 'SQL, DMY'; TimeZone = 'Asia/Kolkata'; bytea_output = 'escape'";
    for (const setting of settings.split("; ")) {
      await open({}, own.url).db.execute(sql.raw(`alter database ${name} set ${setting}`));
    }
    const [row] = await open({}, own.url).db.execute(
      sql`select timestamptz '2026-03-04 05:06:07Z' as instant, date '2026-03-04' as day,
        '\\x5c00ff'::bytea as bytes`,
    );
    expect(row).toEqual({
      instant: "2026-03-04 05:06:07+00",
      day: "2026-03-04",
      bytes: Buffer.from([0x5c, 0, 0xff]),
    });
  });
});

describe("a query that fails", () => {
  it("distinguishes a taken address from other failures, and contains no values", async () => {
    const { db } = open();
    await db.insert(guests).values({ email: "taken@example.test" });
    const error = await reason(db.insert(guests).values({ email: "Taken@Example.test" }));

    expect(databaseErrorCode(error)).toBe("23505");
    expect(isDatabaseUnavailable(error)).toBe(false);
    const everything = JSON.stringify(error, Object.getOwnPropertyNames(error));
    const cause = JSON.stringify(error.cause, Object.getOwnPropertyNames(error.cause));
    expect(`${error.stack}${everything}${cause}`.toLowerCase()).not.toContain("taken@example.test");
    expect(everything).toContain("insert into");
  });

  it("is canceled on the server after the time limit", async () => {
    const { db } = open({ max: 1, statementTimeout: 1_000 });
    const [before] = await db.execute(sql`select pg_backend_pid() as pid`);
    const error = await reason(db.execute(sql`select pg_sleep(60)`));
    expect(databaseErrorCode(error)).toBe("QUERY_TIMEOUT");
    expect(isDatabaseUnavailable(error)).toBe(true);
    const [after] = await db.execute(sql`select pg_backend_pid() as pid`);
    expect(after).toEqual(before);
  });
});

describe("a transaction", () => {
  const countOf = async (db: Database["db"], email: string) =>
    (await db.select({ count: count() }).from(guests).where(eq(guests.email, email)))[0]?.count;

  it("that fails writes nothing", async () => {
    const { db } = open();
    const error = await reason(
      db.transaction(async (tx) => {
        await tx.insert(guests).values({ email: "half@example.test" });
        throw new Error("changed my mind");
      }),
    );
    expect(error.message).toBe("changed my mind");
    expect(await countOf(db, "half@example.test")).toBe(0);
  });

  it("can roll back to a savepoint and keep the rest", async () => {
    const { db } = open();
    await db.transaction(async (tx) => {
      await tx.insert(guests).values({ email: "outer@example.test" });
      await reason(
        tx.transaction((inner) =>
          inner
            .insert(guests)
            .values([{ email: "inner@example.test" }, { email: "OUTER@example.test" }]),
        ),
      );
    });
    expect(await countOf(db, "outer@example.test")).toBe(1);
    expect(await countOf(db, "inner@example.test")).toBe(0);
  });

  it("is not reported as committed after a swallowed failure", async () => {
    const { db } = open();
    const error = await reason(
      db.transaction(async (tx) => {
        await tx.insert(guests).values({ email: "lost@example.test" });
        await reason(tx.execute(sql`select 1 / 0`));
      }),
    );
    expect(error.message).toBe("A failed transaction cannot be committed.");
    expect(await countOf(db, "lost@example.test")).toBe(0);
  });
});

describe("the pool", () => {
  it("never exceeds its maximum of connections, and serves all queries", async () => {
    const { db, statistics } = open({ max: 3 });
    const pids = await Promise.all(
      Array.from({ length: 60 }, () => db.execute(sql`select pg_backend_pid() as pid`)),
    );
    expect(new Set(pids.map(([row]) => row?.pid)).size).toBeLessThanOrEqual(3);
    await expect.poll(() => statistics()).toEqual({ open: 3, idle: 3, waiting: 0 });
  });

  it("rejects a query if no connection becomes free in time", async () => {
    const { db } = open({ max: 1, acquireTimeout: 1_000 });
    await db.transaction(async () => {
      expect(databaseErrorCode(await reason(db.execute(sql`select 1`)))).toBe("POOL_TIMEOUT");
    });
    expect(await db.execute(sql`select 1 as one`)).toEqual([{ one: 1 }]);
  });

  it("finishes running queries before it closes, and accepts no new ones", async () => {
    const database = openDatabase(testDatabase.url);
    const running = database.db.execute(sql`select pg_sleep(0.1), 1 as one`).then();
    await expect.poll(() => database.statistics().open).toBe(1);
    const closing = database.close();
    expect(databaseErrorCode(await reason(database.db.execute(sql`select 1`)))).toBe(
      "CONNECTION_ENDED",
    );
    expect((await running)[0]?.one).toBe(1);
    await closing;
    expect(database.statistics()).toEqual({ open: 0, idle: 0, waiting: 0 });
  });
});

describe("when the connection to the server breaks", () => {
  it("fails running queries, and recovers with the network", async () => {
    const tunnel = await openTunnel();
    const { db } = open({ restartTimeout: 0 }, tunnel.url);
    const one = () => db.execute(sql`select 1 as one`);
    await Promise.all([one(), one(), one()]);

    const inTransaction = db.transaction(async (tx) => {
      await tx.insert(guests).values({ email: "cut@example.test" });
      tunnel.cut();
      await tx.execute(sql`select 1`);
    });
    expect(isDatabaseUnavailable(await reason(inTransaction))).toBe(true);
    expect(isDatabaseUnavailable(await reason(one()))).toBe(true);

    tunnel.restore();
    await expect.poll(() => one().catch(() => null)).toEqual([{ one: 1 }]);
    expect(
      await open().db.execute(sql`select 1 from guests where email = 'cut@example.test'`),
    ).toEqual([]);
  });

  it("makes queries wait while the server restarts", async () => {
    const tunnel = await openTunnel();
    const { db, statistics } = open({ restartTimeout: 5_000 }, tunnel.url);
    await db.execute(sql`select 1`);
    tunnel.cut();
    await expect.poll(() => statistics().open).toBe(0);
    const waiting = db.execute(sql`select 1 as one`).then();
    setTimeout(tunnel.restore, 200);
    expect(await waiting).toEqual([{ one: 1 }]);
  });

  it("gives up on a server that vanished silently, without trying each idle connection", async () => {
    const tunnel = await openTunnel();
    const { db, statistics } = open({ statementTimeout: 100, max: 4 }, tunnel.url);
    const one = () => db.execute(sql`select 1 as one`);
    await Promise.all([one(), one(), one(), one()]);
    await expect.poll(() => statistics().idle).toBe(4);

    tunnel.silence();
    expect(isDatabaseUnavailable(await reason(one()))).toBe(true);
    expect(statistics().open).toBe(0);

    tunnel.restore();
    expect(await one()).toEqual([{ one: 1 }]);
  }, 15_000);
});

/** The points of the transaction below at which its connection is lost. */
const STEPS = [
  "after its begin",
  "between two statements",
  "during a statement",
  "in a savepoint",
  "before its commit",
  "during its commit",
] as const;

describe("a transaction whose connection is lost", () => {
  beforeAll(async () => {
    const { db, close } = openDatabase(testDatabase.url);
    await db.execute(sql`create table steps (transaction text, step text, id xid8)`);
    await db.execute(sql`create function wait() returns trigger language plpgsql as
      'begin perform pg_sleep(60); return new; end'`);
    await db.execute(sql`create constraint trigger at_commit after insert on steps
      deferrable initially deferred for each row when (new.step = 'during its commit')
      execute function wait()`);
    await close();
  });

  const add = (executor: Executor, transaction: string, step: string) =>
    executor.execute(sql`insert into steps values (${transaction}, ${step}, pg_current_xact_id())`);

  const WAYS = ["by the network", "by the server"] as const;
  it.each(WAYS.flatMap((way) => STEPS.map((step) => [way, step] as const)))(
    "%s, %s, leaves no statement in another one",
    async (way, lostAt) => {
      const observer = open({ applicationName: "observer" });
      const tunnel = await openTunnel();
      const applicationName = `lost ${way} ${lostAt}`;
      const { db } = open({ max: 1, applicationName }, tunnel.url);
      await observer.db.execute(sql`delete from steps`);

      let kept: Promise<void> | undefined;
      let release = () => {};
      const isOver = new Promise<void>((resolve) => {
        release = resolve;
      });
      /** Loses the connection, and begins another transaction, which stays open until the lost one is over. */
      const lose = async () => {
        if (way === "by the network") {
          tunnel.cut();
          tunnel.restore();
        } else {
          await observer.db.execute(
            sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${applicationName}`,
          );
        }
        await new Promise<void>((begun) => {
          kept = db.transaction(async (tx) => {
            await add(tx, "kept", "first");
            begun();
            await isOver;
            await add(tx, "kept", "last");
          });
        });
      };
      const isRunning = (query: string) =>
        eventually(async () => {
          const running = await observer.db.execute(
            sql`select from pg_stat_activity
              where application_name = ${applicationName} and state = 'active' and query = ${query}`,
          );
          expect(running).toHaveLength(1);
        });

      const lost = reason(
        db.transaction(async (tx) => {
          /** Runs the work of a step; a failure does not stop the transaction. */
          const at = async (step: (typeof STEPS)[number], executor: Executor = tx) => {
            if (step === lostAt) await lose();
            await add(executor, "lost", step).catch(() => {});
          };
          await at("after its begin");
          await at("between two statements");
          if (lostAt === "during a statement") {
            const sleeping = reason(tx.execute(sql`select pg_sleep(60)`));
            await isRunning("select pg_sleep(60)");
            await lose();
            await sleeping;
          }
          await tx.transaction((savepoint) => at("in a savepoint", savepoint)).catch(() => {});
          await at("before its commit");
          if (lostAt === "during its commit") await add(tx, "lost", lostAt);
        }),
      );
      if (lostAt === "during its commit") {
        await isRunning("commit");
        await lose();
      }
      expect(isDatabaseUnavailable(await lost)).toBe(true);
      release();
      await kept;
      const rows = await observer.db.execute(sql`select * from steps`);
      expect(rows.map(({ transaction, step }) => `${transaction} ${step}`)).toEqual([
        "kept first",
        "kept last",
      ]);
      expect(new Set(rows.map(({ id }) => id)).size).toBe(1);
    },
  );
});

describe("connecting to DATABASE_URL", () => {
  const sentence = async (url: string) => {
    const error = await reason(connectDatabase(url));
    expect(error.name).toBe("OperatorError");
    expect(error.message).not.toContain("\n");
    return error.message;
  };
  it("accepts PostgreSQL 15 or newer, on TCP and on a Unix socket in both of libpq's forms", async () => {
    const socket = parseSocketAddress(testDatabase.url);
    const byParameter = new URL(testDatabase.url);
    byParameter.hostname = "localhost";
    byParameter.port = "";
    byParameter.searchParams.set("host", socket?.host ?? "");
    for (const url of [(await openTunnel()).url, testDatabase.url, byParameter.href]) {
      const database = await connectDatabase(url);
      expect(await database.db.execute(sql`select 1 as one`)).toEqual([{ one: 1 }]);
      await database.close();
    }
  });

  it("reports that no server listens on a socket", async () => {
    const folder = await mkdtemp(join(tmpdir(), "golden-path-socket test, "));
    cleanUps.push(() => rm(folder, { recursive: true, force: true }));
    const url = `postgres://someone:hunter2@${encodeURIComponent(folder)}/shop`;
    expect(await sentence(url)).toContain("no server listens on that socket.");
    const error = await reason(open({ restartTimeout: 0 }, url).db.execute(sql`select 1`));
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  it("reports a wrong password without repeating it", async () => {
    const url = new URL((await openTunnel()).url);
    url.password = "hunter2";
    const message = await sentence(url.href);
    expect(message).toContain("the password of user 'golden_path_site' is wrong");
    expect(message).not.toContain("hunter2");
  });

  it("reports a server that is not PostgreSQL", async () => {
    const port = await listen((socket) => {
      socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    });
    const url = `postgres://someone@127.0.0.1:${port}/shop`;
    expect(await sentence(url)).toContain("(DATABASE_URL): ");
  });

  it("reports a timeout", async () => {
    const port = await listen(() => {});
    const url = `postgres://someone@127.0.0.1:${port}/shop`;
    const settings = { url, applicationName: "test", connectTimeout: 50 };
    expect(databaseErrorCode(await reason(openConnection(settings)))).toBe("CONNECT_TIMEOUT");
  });

  it("rejects a server that is too old", async () => {
    const { url } = await openTunnel((data) =>
      Buffer.from(data.toString("latin1").replace(/\b1[5-9]\d{4}\b/, "140011"), "latin1"),
    );
    expect(await sentence(url)).toBe(
      "The database server is PostgreSQL 14, but this program needs PostgreSQL 15 or newer.",
    );
  });
});
